// Hosts that no rule names pass without a decision: how soon that ends, when a rule names them or the engine fails.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer } from 'node:tls'
import { type Gateway, skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import type { Handler } from '../../test/proxy/sites.ts'
import { makeServed } from '../../test/support/certificates.ts'
import { listen } from '../../test/support/listen.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { until } from '../../test/support/until.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

/** Milliseconds that a change may take, from the reload, and from the last write of a file. */
const [AFTER_RELOAD, AFTER_WRITE] = [2_000, 2_500]
const PROBE_MS = 20
const HOST = 'news.example'

describe('a host that no rule names', { skip: skipWithoutGateway, timeout: 300_000 }, async () => {
  const list = join(temporaryFolder({ after }), 'list.txt')
  const policyNaming = (host: string) => `
default = "allow"
[[lists]]
name = "names"
path = "${list}"
[[rules]]
name = "listed"
lists = ["names"]
action = "block"
[[rules]]
name = "named"
match = ["${host}"]
action = "block"
`
  // As many as before: an engine keeps a list that has lost half of its names.
  const writeList = (host: string) => writeFileSync(list, `casino.example\n${host}\n`)
  /** When requests for the host have arrived at its site. */
  const arrived: number[] = []
  const record: Handler = (_, response) => {
    arrived.push(performance.now())
    response.end()
  }
  writeList('other.example')
  const gateway = await startGateway(
    { after },
    {
      sites: { names: [HOST], handlers: { [HOST]: record } },
      policy: policyNaming('other.example'),
      published: 'engine',
    },
  )

  /** Until something has arrived after this moment. */
  async function passes(from = performance.now()): Promise<void> {
    await until(() => (arrived.at(-1) ?? 0) > from, 20)
  }

  /** @returns when the change was over, and when the last request arrived */
  async function lastArrival(t: TestContext, change: () => unknown) {
    const stop = new AbortController()
    t.after(() => stop.abort())
    const probing = probe(stop.signal)
    await passes()
    await sleep(Math.random() * 1_000)
    await change()
    const changed = performance.now()
    await until(() => performance.now() - Math.max(changed, arrived.at(-1) as number) > AFTER_WRITE + 500, 20)
    stop.abort()
    await probing
    return { changed, last: Math.max(changed, arrived.at(-1) as number) }
  }

  async function probe(signal: AbortSignal): Promise<void> {
    for (let scheme = 'http'; !signal.aborted; scheme = scheme === 'http' ? 'https' : 'http') {
      gateway.request(`${scheme}://${HOST}/`).catch(() => {})
      await sleep(PROBE_MS)
    }
  }

  const { engine } = gateway
  const PASSING = policyNaming('other.example')
  for (const [name, change, undo] of [
    ['a rule is in force', () => engine.writePolicy(policyNaming(HOST)), () => engine.writePolicy(PASSING)],
    ['an entry of a list is in force', () => writeList(HOST), () => writeList('other.example')],
    ['a frozen engine stops everything', () => engine.process.kill('SIGSTOP'), () => engine.process.kill('SIGCONT')],
    ['a dead engine stops everything', () => engine.kill('SIGKILL'), () => engine.restart()],
    // Last: an engine does not lose it without being told so.
    ['a default that blocks is in force', () => engine.writePolicy(PASSING.replace('"allow"', '"block"')), undefined],
  ] as const) {
    test(`${name} within ${AFTER_WRITE} ms`, async (t) => {
      const loads = () => engine.log().filter(({ msg }) => msg === 'policy loaded')
      const before = loads().length
      const { last, changed } = await lastArrival(t, change)
      t.diagnostic(`${Math.round(last - changed)} ms after the change`)
      assert.ok(last - changed <= AFTER_WRITE, `${last - changed} ms`)
      const loaded = name.endsWith('in force') ? loads()[before]?.time : undefined
      if (loaded !== undefined) {
        const afterReload = performance.timeOrigin + last - Date.parse(String(loaded))
        t.diagnostic(`${Math.round(afterReload)} ms after the reload`)
        assert.ok(afterReload <= AFTER_RELOAD, `${afterReload} ms after the reload`)
      }
      if (undo === undefined) return
      await undo()
      await until(async () => (await gateway.request(`http://${HOST}/`)).status === 200, 20)
    })
  }
})

test('Squid falls back to no old answer when too many questions wait', { skip: skipWithoutGateway }, async (t) => {
  const gateway = await startGateway(t, {
    sites: { names: [HOST] },
    published: 'engine',
    edit: (shipped) => shipped.replace(/concurrency=\d+/, 'concurrency=2 queue-size=0'),
  })
  const { request, sites } = gateway
  assert.equal((await request(`http://${HOST}/`)).status, 200)
  const helper = helperOf(gateway)
  process.kill(helper, 'SIGSTOP')
  t.after(() => process.kill(helper, 'SIGCONT'))
  await sleep(3_000)
  // Occupies the queue.
  for (const name of ['one', 'two']) request(`http://${name}.example/`).catch(() => {})
  await sleep(500)
  const reached = sites.received.length
  assert.equal((await request(`http://${HOST}/`)).status, 500)
  assert.equal(sites.received.length, reached)
  assert.doesNotMatch(readFileSync(`/proc/${helper}/cmdline`, 'utf8'), /icap-token/)
})

test('the helper asks over TLS, also where root starts the proxy', { skip: skipWithoutGateway }, async (t) => {
  const { ca, leaf } = makeServed('localhost')
  let target = 0
  let text = ''
  const relay = createServer({ cert: leaf.certificate, key: leaf.key }, (socket) => {
    const engine = connect(target, '127.0.0.1')
    for (const end of [socket, engine]) {
      end
        .on('error', () => {})
        .on('data', (chunk) => {
          text += chunk.toString('latin1')
        })
    }
    socket.pipe(engine).pipe(socket)
  })
  const port = await listen(t, relay)
  const gateway = await startGateway(t, {
    sites: { ca, names: [HOST] },
    published: 'engine',
    user: 0,
    settings({ icapPort }) {
      target = icapPort
      return { PROXY_ICAP: `icaps://localhost:${port}/reqmod` }
    },
  })
  await until(async () => {
    text = ''
    assert.equal((await gateway.request(`http://${HOST}/`)).status, 200)
    return text !== '' && !text.includes('REQMOD')
  })
  assert.match(text, /^HOSTS icaps:[\s\S]*X-Host: news\.example\r\n[\s\S]*X-Ruled: no\r\n/)
  assert.doesNotMatch(readFileSync(`/proc/${helperOf(gateway)}/status`, 'utf8'), /^Uid:\t0/m)
})

/** The number of its process. */
function helperOf({ squidPid }: Gateway): number {
  const children = readFileSync(`/proc/${squidPid()}/task/${squidPid()}/children`, 'utf8').trim().split(' ')
  const found = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('ruled-hosts'))
  return Number(found ?? assert.fail('no helper'))
}
