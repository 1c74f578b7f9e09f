// `engine stopped --follow` as a process: until Ctrl-C, over a restart of the engine, and until its reader ends.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { RULES } from '../../test/engine/control-api/administration/policy.ts'
import { type AdministeredEngine, startAdministered } from '../../test/gatewayctl/engine/against-engine.ts'
import { ended, startGatewayctl } from '../../test/gatewayctl/gatewayctl.ts'
import { rule } from '../../test/support/rules.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { until } from '../../test/support/until.ts'

async function start(t: TestContext): Promise<AdministeredEngine & { stop(host: string): Promise<void> }> {
  const location = { dialect: 'sqlite', path: join(temporaryFolder(t), 'state.db') } as const
  const toml = `${RULES}\n${rule('shop', 'block', 'match = [".shop.example"]')}\n`
  const engine = await startAdministered(t, toml, { location, journal: location })
  return {
    ...engine,
    async stop(host) {
      await engine.decide(`https://${host}/`, '198.51.100.7')
      await engine.journal?.flush()
    },
  }
}

/** What the engine's port is while it restarts. */
async function startRelay(t: TestContext, target: number) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const outgoing = connect(target, '127.0.0.1')
    for (const one of [socket, outgoing]) {
      sockets.add(one.on('error', () => {}).on('close', () => sockets.delete(one)))
    }
    socket.pipe(outgoing).pipe(socket)
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const port = await listen(0)
  const stop = async () => {
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  t.after(stop)
  return { port, stop, start: () => listen(port) }
}

test('--follow prints what comes, once and in order, over a restart, until it is interrupted', async (t) => {
  const engine = await start(t)
  await engine.stop('old.shop.example')
  const relay = await startRelay(t, engine.port)
  const options = engine.options.with(1, `https://127.0.0.1:${relay.port}`)
  const child = startGatewayctl(['engine', 'stopped', '--follow', '--host', '.shop.example', ...options])
  const finished = ended(child)
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const shown = () => [...stdout.matchAll(/ (\w+)\.shop\.example /g)].map(([, name]) => name)
  await until(() => shown().length === 1, 30)
  await engine.stop('first.shop.example')
  await engine.stop('news.example')
  engine.pass(1)
  await engine.stop('second.shop.example')
  await until(() => shown().length === 3, 30)
  engine.pass(30)
  await engine.stop('third.shop.example')
  await until(() => shown().length === 4, 30)
  await relay.stop()
  await until(() => stderr.includes('trying again each second'), 30)
  await relay.start()
  await until(() => stderr.includes('The engine responds again.'), 30)
  await engine.stop('fourth.shop.example')
  await until(() => shown().length === 5, 30)
  child.kill('SIGINT')
  const { status } = await finished
  assert.equal(status, 130)
  assert.deepEqual(shown(), ['old', 'first', 'second', 'third', 'fourth'])
  assert.equal(stdout.match(/^at /gm)?.length, 1, 'one heading')
  assert.match(stderr, /^no response from https:.*; trying again each second\nThe engine responds again\.\n$/)
})

test('--follow --json prints a document per line, and ends with its reader', async (t) => {
  const engine = await start(t)
  await engine.stop('one.shop.example')
  engine.pass(1)
  const shell = '"$@" | head -n 2'
  const child = startGatewayctl(['engine', 'stopped', '--follow', '--json', ...engine.options], { shell })
  const finished = ended(child)
  const stopping = setInterval(() => void engine.stop('two.shop.example'), 300)
  const { stdout, stderr } = await finished.finally(() => clearInterval(stopping))
  const hosts = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).host)
  assert.deepEqual([hosts, stderr], [['one.shop.example', 'two.shop.example'], ''])
})
