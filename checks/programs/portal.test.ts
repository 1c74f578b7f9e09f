// The portal as a process: environment in, log lines and an exit status out, with the permissions of a deployment.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { readStorage } from '../../src/database/durability.ts'
import { IN_TEMPORARY_FOLDER, MEMORY_BACKED } from '../../src/ledger/ledger.ts'
import { postgresServer } from '../../test/support/databases.ts'
import { ACK_TOKEN, claims, verdictQuery, verdictTarget } from '../../test/support/payloads.ts'
import { policyFiles } from '../../test/support/policy-files.ts'
import { startPortalProcess } from '../../test/support/portal-process.ts'
import { noPostgres } from '../../test/support/postgres-server.ts'
import { until } from '../../test/support/until.ts'

/** A keep-alive connection for sequential requests. */
async function openConnection(t: TestContext, port: number) {
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  return {
    async send(target: string): Promise<string> {
      socket.write(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`)
      const [bytes] = await once(socket, 'data')
      return String(bytes)
    },
    ended: once(socket, 'close'),
  }
}

test('a start and --check report the same problems, those of the operator’s policy too, with status 2 and without secrets', async (t) => {
  const { env, folder } = policyFiles(t, { 'aup.md': '<!-- nothing -->', 'aup.fr.md': Buffer.from([0xff]) })
  const faulty = { ...env, GATEWAY_CAPTIVE_SHARED_SECRET: 'too-short', GATEWAY_CAPTIVE_LISTEN_PORT: 'http' }
  const [started, checked] = [[], ['--check']].map((args) => startPortalProcess(t, faulty, [], undefined, args))
  for (const portal of [started, checked]) {
    assert.equal(await portal?.ended, 2)
    assert.deepEqual(portal?.lines, [])
  }
  const problems = `${started?.errors()}`
  assert.match(problems, /^The configuration has 4 problems:\n/)
  for (const name of ['SHARED_SECRET', 'LISTEN_PORT']) assert.match(problems, new RegExp(name))
  assert.ok(problems.includes(`"${folder}/aup.md" must not be empty`))
  assert.ok(problems.includes(`"${folder}/aup.fr.md" must be UTF-8`))
  assert.doesNotMatch(problems, /too-short/)
  assert.equal(checked?.errors(), problems)
})

test('the operator’s policy is read once, at the start', async (t) => {
  const { env, path } = policyFiles(t, { 'aup.md': '# First rules' })
  const portal = startPortalProcess(t, env)
  const address = await portal.listening
  writeFileSync(path, '# Second rules')
  const target = verdictTarget(claims(Math.floor(Date.now() / 1000), { kind: 'aup', ack_token: ACK_TOKEN }))
  assert.match(await (await fetch(address + target)).text(), /<h2>First rules<\/h2>/)
})

test('a database that cannot be opened ends the start with status 1 and one clear line', async (t) => {
  const refusal = 'SFATAL\0C28P01\0Mpassword authentication failed for user "portal"\0\0'
  const database = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(Buffer.from(`E\0\0\0${String.fromCharCode(refusal.length + 4)}${refusal}`)))
  })
  database.listen(0, '127.0.0.1')
  await once(database, 'listening')
  t.after(() => database.close())
  const { port } = database.address() as AddressInfo
  const portal = startPortalProcess(t, {
    GATEWAY_CAPTIVE_DATABASE_URL: `postgresql://portal:s3cr3t-pw@127.0.0.1:${port}/ledger`,
  })
  assert.equal(await portal.ended, 1)
  assert.match(portal.lines.at(-1) as string, /the password is wrong, or there is no such user \(28P01\)/)
  // The driver's text.
  assert.doesNotMatch(portal.lines.join(), /authentication failed/)
  assert.doesNotMatch(portal.lines.join(), /is not reachable yet/)
  const last = JSON.parse(portal.lines.at(-1) as string)
  assert.equal(last.msg, 'the database is not usable; stopping')
  assert.doesNotMatch(portal.errors() + portal.lines.join(), /s3cr3t-pw/)
})

test('waits for a database that starts later', { skip: noPostgres }, async (t) => {
  const server = await postgresServer()
  await server.stop('fast')
  let attempts = 0
  const starting = createTcpServer((socket) => {
    attempts++
    socket.resetAndDestroy()
  }).listen(Number(new URL(server.url).port), '127.0.0.1')
  await once(starting, 'listening')
  const portal = startPortalProcess(t, { GATEWAY_CAPTIVE_DATABASE_URL: server.url })
  const waits = () =>
    portal.lines.filter((line) => line.includes('"the database is not reachable yet; retrying for up to 30 s"'))
  await until(() => attempts >= 3)
  starting.close()
  await server.start()
  await portal.listening
  assert.equal(waits().length, 1)
  assert.match(waits()[0] as string, /ECONNRESET/)
})

test('SIGTERM ends the portal while it waits', async (t) => {
  const portal = startPortalProcess(t, { GATEWAY_CAPTIVE_DATABASE_URL: 'postgresql://portal@127.0.0.1:1/ledger' })
  await until(() => portal.lines.join().includes('is not reachable yet'))
  portal.child.kill('SIGTERM')
  assert.equal(await portal.ended, 0)
})

/** What a portal with these settings warns of: how acceptances can be lost. */
async function storageWarnings(t: TestContext, env: Readonly<Record<string, string>>) {
  const portal = startPortalProcess(t, env)
  await portal.listening
  const lines = portal.lines.map((line) => JSON.parse(line))
  assert.equal(lines.filter(({ durability }) => durability !== undefined).length, 1)
  return lines.filter(({ level, msg }) => level === 40 && /lost|acceptances end/.test(msg)).map(({ msg }) => msg)
}

test('storage that loses acceptances causes one warning', async (t) => {
  const warnings = (env: Readonly<Record<string, string>>) => storageWarnings(t, env)
  assert.deepEqual(await warnings({ GATEWAY_CAPTIVE_DATABASE_URL: 'sqlite://' }), [MEMORY_BACKED])
  for (const said of [MEMORY_BACKED, IN_TEMPORARY_FOLDER]) {
    assert.match(said, / GATEWAY_CAPTIVE_DATABASE_URL=sqlite:\/{4}var\/lib\/portal\/portal\.db .*postgresql:\/\//)
  }
  const { memoryBacked } = await readStorage(join(tmpdir(), 'portal.db'))
  assert.deepEqual(await warnings({}), [memoryBacked ? MEMORY_BACKED : IN_TEMPORARY_FOLDER])
})

/** A portal whose engine responds to an acknowledgement when the test calls what `asked` resolves with. */
async function startWithWaitingEngine(t: TestContext) {
  const asked = Promise.withResolvers<() => void>()
  const engine = createServer(({ url }, response) => {
    if (url === '/healthz') return void response.writeHead(404).end()
    asked.resolve(() => response.writeHead(302, { location: 'https://news.example/' }).end())
  }).listen(0, '127.0.0.1')
  t.after(() => engine.close())
  await once(engine, 'listening')
  const portal = startPortalProcess(t, {
    ENGINE_INTERNAL_URL: `http://127.0.0.1:${(engine.address() as AddressInfo).port}`,
  })
  const port = Number(new URL(await portal.listening).port)
  return { portal, port, asked }
}

test('SIGTERM: drains, closes connections, and exits with status 0', async (t) => {
  const { portal, port, asked } = await startWithWaitingEngine(t)
  const kept = await openConnection(t, port)
  assert.match(await kept.send('/healthz'), /^HTTP\/1\.1 200 .*connection: keep-alive/is)
  const acknowledging = await openConnection(t, port)
  const query = verdictQuery(claims(Math.floor(Date.now() / 1000), { kind: 'aup', ack_token: ACK_TOKEN }))
  const redirect = acknowledging.send(`/api/captive/ack?${query}`)
  const answerNow = await asked.promise

  const stoppedAt = Date.now()
  portal.child.kill('SIGTERM')
  await until(() => portal.lines.some((line) => line.includes('stopping')))
  for (const connection of [kept, await openConnection(t, port)]) {
    assert.match(await connection.send('/healthz'), /^HTTP\/1\.1 200 .*connection: close/is)
    await connection.ended
  }
  answerNow()
  assert.match(await redirect, /^HTTP\/1\.1 302 .*Location: https:\/\/news\.example\/.*connection: close/is)
  assert.equal(await portal.ended, 0)
  const seconds = (Date.now() - stoppedAt) / 1000
  assert.ok(seconds > 4.5 && seconds < 9, `${seconds} s`)
})

function isRefused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'))
    socket.on('connect', () => {
      socket.destroy()
      resolve(false)
    })
  })
}

test('a second signal: accepts no more, and finishes the acknowledgement in flight', async (t) => {
  const { portal, port, asked } = await startWithWaitingEngine(t)
  const idle = await openConnection(t, port)
  await idle.send('/healthz')
  const acknowledging = await openConnection(t, port)
  const query = verdictQuery(claims(Math.floor(Date.now() / 1000), { kind: 'warn', ack_token: ACK_TOKEN }))
  const redirect = acknowledging.send(`/api/captive/ack?${query}`)
  const answerNow = await asked.promise
  portal.child.kill('SIGTERM')
  await until(() => portal.lines.some((line) => line.includes('stopping')))
  // The second signal ends the grace period.
  portal.child.kill('SIGTERM')
  await idle.ended
  await until(() => isRefused(port))
  answerNow()
  assert.match(await redirect, /^HTTP\/1\.1 302 /)
  assert.equal(await portal.ended, 0)
})

test('SIGINT, or a second signal after SIGTERM, ends it without delay', async (t) => {
  for (const signals of [['SIGINT'], ['SIGTERM', 'SIGINT']] as const) {
    const portal = startPortalProcess(t, {})
    await portal.listening
    const stoppedAt = Date.now()
    for (const signal of signals) {
      portal.child.kill(signal)
      await until(() => portal.lines.some((line) => line.includes('stopping')))
    }
    assert.equal(await portal.ended, 0)
    assert.ok(Date.now() - stoppedAt < 4_000)
  }
})

/** A portal that, once it listens, runs this injected code. */
async function startAndRun(t: TestContext, code: string) {
  const stranger = `data:text/javascript,process.once("SIGUSR2", () => { ${code} })`
  const portal = startPortalProcess(t, {}, ['--import', stranger])
  await portal.listening
  portal.child.kill('SIGUSR2')
  return portal
}

describe('an unexpected error is logged once and ends the process with status 1', () => {
  const unexpected = {
    'that is thrown': 'throw new Error("the unexpected")',
    'of an unhandled promise': 'Promise.reject(new Error("the unexpected")); setTimeout(() => {}, 60_000)',
    'after which another one would follow': 'process.nextTick(() => { throw 2 }); throw new Error("the unexpected")',
  }
  for (const [what, code] of Object.entries(unexpected)) {
    test(what, async (t) => {
      const portal = await startAndRun(t, code)
      assert.equal(await portal.ended, 1)
      const fatal = portal.lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 60)
      assert.deepEqual(
        fatal.map(({ msg, err }) => [msg, err.message]),
        [['unexpected error; stopping', 'the unexpected']],
      )
      assert.equal(portal.errors(), '')
    })
  }
})

test('the process has no other permissions', async (t) => {
  const attempts: Readonly<Record<string, string>> = {
    'read a foreign file': 'process.getBuiltinModule("fs").readFileSync("/etc/passwd")',
    'write outside its database folder': 'process.getBuiltinModule("fs").writeFileSync("/tmp/portal-process-test", "")',
    'start another program': 'process.getBuiltinModule("child_process").execFileSync("/bin/true")',
    'open the inspector': 'process.getBuiltinModule("inspector").open(0)',
    'make code of text': 'Function("return 1")',
  }
  const tries = Object.entries(attempts).map(([what, code]) => {
    const outcome = `outcomes[${JSON.stringify(what)}]`
    return `try { ${code}; ${outcome} = "done" } catch ({ code, message }) { ${outcome} = code + " " + message }`
  })
  const print = 'process.stdout.write(JSON.stringify({ outcomes }) + "\\n")'
  const portal = await startAndRun(t, `const outcomes = {}; ${tries.join('; ')}; ${print}`)
  const line = await until(() => portal.lines.find((line) => line.includes('outcomes')))
  const outcomes = Object.entries<string>(JSON.parse(line).outcomes)
  assert.equal(outcomes.length, tries.length)
  for (const [what, outcome] of outcomes) {
    assert.match(outcome, /ERR_ACCESS_DENIED|Code generation from strings disallowed/, what)
  }
})

test('a secret’s file without read permission is named', async (t) => {
  const portal = startPortalProcess(t, {
    GATEWAY_CAPTIVE_SECRET_KEY: '',
    GATEWAY_CAPTIVE_SECRET_KEY_FILE: '/etc/passwd',
  })
  assert.equal(await portal.ended, 2)
  assert.match(portal.errors(), /SECRET_KEY_FILE must name a file that can be read \(ERR_ACCESS_DENIED\)/)
})
