// deploy/terminator/start: what it waits for, which user it runs as, and how it exits.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { Agent } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPublishing } from '../engine/publishing.ts'
import { answer, answering, startHostileEngine } from '../support/hostile-engine.ts'
import { skipUnless, skipWithoutLinux } from '../support/requirement.ts'
import { skipWithoutNginx, skipWithoutStream, spawnTerminator, startTerminator } from '../support/terminator.ts'
import { ask } from './client.ts'

const OK = answer('200 OK', [], 'answered')
const skip = skipWithoutNginx
const skipUnlessRoot = skip || skipUnless(process.getuid?.() === 0, 'runs as another user, which needs root')
const NOBODY = 65_534

async function prepare(t: TestContext) {
  const publishing = await startPublishing(t)
  await publishing.publish({ portalHost: 'localhost' })
  const portal = await startHostileEngine(t, answering(OK))
  return { ...publishing, portal, address: `127.0.0.1:${portal.port}`, leaf: publishing.path('terminator') }
}

/** Process ids of this one's children and theirs. */
function descendants(pid: number): number[] {
  const children = readdirSync('/proc').filter((name) => {
    try {
      return new RegExp(`^PPid:\\s${pid}$`, 'm').test(readFileSync(`/proc/${name}/status`, 'utf8'))
    } catch {
      return false
    }
  })
  return children.flatMap((child) => [Number(child), ...descendants(Number(child))])
}

test('it waits for the leaf, and logs that', { skip }, async (t) => {
  const { folder, publish } = await startPublishing(t)
  const portal = await startHostileEngine(t, answering(OK))
  const starting = startTerminator(t, { portal: `127.0.0.1:${portal.port}`, leaf: join(folder, 'terminator') })
  await sleep(300)
  await publish({ portalHost: 'localhost' })
  const terminator = await starting
  assert.match(terminator.logText(), /^terminator: waiting for portal\.crt and portal\.key in \S+\n/)
  assert.equal((await ask(`http://localhost:${terminator.httpPort}`, '/')).body, 'answered')
})

test('while it waits it can be stopped', { skip }, async (t) => {
  const run = mkdtempSync(join(tmpdir(), 'terminator-test-'))
  t.after(() => rmSync(run, { recursive: true }))
  const child = spawnTerminator({ TERMINATOR_PORTAL: '127.0.0.1:1', TERMINATOR_LEAF: '/nowhere', TERMINATOR_RUN: run })
  await once(child.stderr, 'data')
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'close'), [0, null])
})

test('a stop lets requests finish, and leaves nothing', { skip }, async (t) => {
  const { portal, address, leaf, read } = await prepare(t)
  const ca = await read('ca/ca.crt')
  const run = mkdtempSync(join(tmpdir(), 'terminator-test-'))
  t.after(() => rmSync(run, { recursive: true }))
  const terminator = await startTerminator(t, { portal: address, leaf, settings: { TERMINATOR_RUN: run } })
  const origin = `https://localhost:${terminator.httpsPort}`
  const idle = new Agent({ keepAlive: true })
  await ask(origin, '/', { ca, agent: idle })
  const { promise: arrived, resolve } = Promise.withResolvers<void>()
  portal.behave((socket) => {
    resolve()
    setTimeout(() => socket.end(OK), 500)
  })
  const inFlight = ask(origin, '/', { ca })
  await arrived
  const processes = process.platform === 'linux' ? descendants(terminator.pid) : []
  assert.ok(processes.length >= 4 || process.platform !== 'linux')
  const stopping = terminator.stop()
  assert.equal((await inFlight).body, 'answered')
  assert.equal(await stopping, 0)
  for (const pid of processes) assert.throws(() => process.kill(pid, 0), `process ${pid} is left`)
  for (const name of ['portal.sock', 'errors', 'unavailable.html', 'nginx.pid'])
    assert.ok(!existsSync(join(run, name)), name)
  assert.equal(terminator.requests().length, 2, 'the log is whole')
  idle.destroy()
})

test('it starts again after a kill that left its files behind', { skip: skipWithoutStream }, async (t) => {
  const { leaf } = await prepare(t)
  const run = mkdtempSync(join(tmpdir(), 'terminator-test-'))
  t.after(() => rmSync(run, { recursive: true }))
  const options = { portal: 'portal.internal:80', resolver: '127.0.0.1:9', leaf, settings: { TERMINATOR_RUN: run } }
  const first = await startTerminator(t, options)
  for (const pid of [first.pid, ...descendants(first.pid)]) process.kill(pid, 'SIGKILL')
  assert.equal(await first.stop(), null)
  assert.ok(existsSync(join(run, 'nginx.pid')))
  const second = await startTerminator(t, options)
  assert.equal((await ask(`http://localhost:${second.httpPort}`, '/')).status, 503)
  assert.equal(await second.stop(), 0)
})

test('when nginx cannot start, it exits with the message of nginx', { skip }, async (t) => {
  const { address, leaf } = await prepare(t)
  const settings = { TERMINATOR_HTTP: '192.0.2.1:80' }
  await assert.rejects(startTerminator(t, { portal: address, leaf, settings }), /bind\(\) to 192\.0\.2\.1:80 failed/)
})

test('settings that would inject configuration are refused', { skip }, async () => {
  const hostile: Record<string, string>[] = [
    { TERMINATOR_PORTAL: 'portal:8000; include /etc/passwd' },
    { TERMINATOR_PORTAL: 'portal|e id' },
    { TERMINATOR_LEAF: '/run/$request_uri' },
    { TERMINATOR_HTTP: '80;' },
    { TERMINATOR_RUN: '/tmp/a b' },
    { TERMINATOR_RESOLVER: '127.0.0.1 `id`' },
  ]
  for (const settings of hostile) {
    const child = spawnTerminator(settings)
    const output = child.stderr.toArray()
    assert.deepEqual(await once(child, 'close'), [2, null])
    assert.match(String(await output), /^terminator: a setting has a character that is not allowed: '/)
  }
})

test('a setting that nginx would misread is refused, by its name', { skip }, async (t) => {
  const run = mkdtempSync(join(tmpdir(), 'terminator-test-'))
  t.after(() => rmSync(run, { recursive: true }))
  const wrong: Readonly<Record<string, readonly string[]>> = {
    TERMINATOR_REQUESTS_AT_ONCE: ['0', '-1', '1.5', 'many', '064', '100000', '1;', '1\n2'],
    TERMINATOR_PORTAL_CONNECTIONS: ['0', '15', '100000', 'many', '64 weight=1'],
    TERMINATOR_REQUESTS_PER_SECOND: ['0', '10r/s', '1e3'],
    TERMINATOR_UNLIMITED: [
      ...[
        '10.0.0.0/33',
        '10.0.0',
        '10.0.0.256',
        '1.2.3.4.5',
        '10.0.0.0/',
        '10.0.0.0/8/8',
        '10.0.0.1, office',
        '*',
        '0x0a.0.0.1',
      ],
      ...['2001:db8::/129', '2001:db8', '::1::', ':::', '1:2:3:4:5:6:7:8:9', '12345::', ':1', 'fe80::1%eth0', '::1; }'],
    ],
    TERMINATOR_ACCESS_LOG: [
      'on',
      'access.log',
      '/nowhere/access.log',
      run,
      '/dev/stdout',
      '/dev/null',
      'syslog:',
      '/tmp/a b',
    ],
  }
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const child = spawnTerminator({ TERMINATOR_RUN: run, TERMINATOR_LEAF: '/nowhere', [name]: value })
      const output = child.stderr.toArray()
      assert.deepEqual(await once(child, 'close'), [2, null], `${name}=${value}`)
      assert.ok(String(await output).startsWith(`terminator: ${name} `), `${name}=${value}: ${await output}`)
    }
  }
})

test('addresses and networks of both families are accepted', { skip }, async (t) => {
  const { address, leaf } = await prepare(t)
  const unlimited = '10.0.0.0/8,192.0.2.7 0.0.0.0/0, ::/0 ::1 2001:db8::/32 1:2:3:4:5:6:7:8 1::8/128 fe80::'
  const terminator = await startTerminator(t, { portal: address, leaf, settings: { TERMINATOR_UNLIMITED: unlimited } })
  assert.equal((await ask(`http://localhost:${terminator.httpPort}`, '/')).status, 200)
  assert.doesNotMatch(terminator.logText(), /\[(warn|emerg)\]/)
})

test('without a setting there is no access log', { skip }, async (t) => {
  const { address, leaf } = await prepare(t)
  const terminator = await startTerminator(t, { portal: address, leaf, settings: { TERMINATOR_ACCESS_LOG: '' } })
  await ask(`http://localhost:${terminator.httpPort}`, '/')
  await terminator.stop()
  assert.equal(terminator.logText(), '')
})

test('the access log may be a syslog server', { skip }, async (t) => {
  const { address, leaf } = await prepare(t)
  const server = createSocket('udp4').bind(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const settings = { TERMINATOR_ACCESS_LOG: `syslog:server=127.0.0.1:${server.address().port}` }
  const terminator = await startTerminator(t, { portal: address, leaf, settings })
  const message = once(server, 'message')
  await ask(`http://localhost:${terminator.httpPort}`, '/blocked?p=zqpayload')
  const [line] = await message
  assert.match(String(line), /"path":"\/blocked","status":"200"/)
  assert.doesNotMatch(String(line), /zqpayload/)
})

test('a bare port is every address of the machine', {
  skip: skip || skipWithoutLinux,
}, async (t) => {
  const { address, leaf } = await prepare(t)
  const { httpPort, httpsPort } = await startTerminator(t, { portal: address, leaf }).then(async (first) => {
    await first.stop()
    return first
  })
  const settings = { TERMINATOR_HTTP: `${httpPort}`, TERMINATOR_HTTPS: `${httpsPort}` }
  await startTerminator(t, { portal: address, leaf, settings, ports: { http: httpPort, https: httpsPort } })
  const hosts = existsSync('/proc/net/if_inet6') ? ['127.0.0.1', '127.0.0.2', '[::1]'] : ['127.0.0.1', '127.0.0.2']
  for (const host of hosts) assert.equal((await fetch(`http://${host}:${httpPort}/`)).status, 200, host)
})

const resolvConf = existsSync('/etc/resolv.conf') ? readFileSync('/etc/resolv.conf', 'utf8') : ''
const nameServers = Array.from(resolvConf.matchAll(/^nameserver\s+([^\s%]+)\s*$/gm), ([, address]) => String(address))

test('without a setting, the machine’s own DNS servers are used', {
  skip: skipWithoutStream || skipUnless(nameServers.length > 0, 'needs a name server in /etc/resolv.conf'),
}, async (t) => {
  const { leaf } = await prepare(t)
  const run = mkdtempSync(join(tmpdir(), 'terminator-test-'))
  t.after(() => rmSync(run, { recursive: true, force: true }))
  await startTerminator(t, { portal: 'portal.internal:80', leaf, settings: { TERMINATOR_RUN: run } })
  const addresses = nameServers.map((address) => (address.includes(':') ? `[${address}]` : address))
  const [, resolver = ''] = /^ +resolver (.*) valid=2s;$/m.exec(readFileSync(join(run, 'nginx.conf'), 'utf8')) ?? []
  assert.deepEqual(resolver.trim().split(' '), addresses)
})

test('started by root, its workers are the key’s owner', { skip: skipUnlessRoot }, async (t) => {
  const { address, leaf, read } = await prepare(t)
  chownSync(join(leaf, 'portal.key'), NOBODY, NOBODY)
  execFileSync('chmod', ['755', join(leaf, '..')])
  const { pid, httpsPort } = await startTerminator(t, { portal: address, leaf })
  const ca = await read('ca/ca.crt')
  assert.equal((await ask(`https://localhost:${httpsPort}`, '/', { ca })).body, 'answered')
  const owners = descendants(pid).flatMap((one) => {
    const status = readFileSync(`/proc/${one}/status`, 'utf8')
    return status.startsWith('Name:\tnginx\n') ? [Number(/^Uid:\t(\d+)/m.exec(status)?.[1])] : []
  })
  assert.deepEqual([owners[0], new Set(owners.slice(1))], [0, new Set([NOBODY])])
})

test('it needs no root: the key’s owner can start it', { skip: skipUnlessRoot }, async (t) => {
  const { address, leaf, read } = await prepare(t)
  for (const name of ['portal.key', 'portal.crt']) chownSync(join(leaf, name), NOBODY, NOBODY)
  execFileSync('chmod', ['755', join(leaf, '..')])
  const terminator = await startTerminator(t, { portal: address, leaf, user: NOBODY })
  const ca = await read('ca/ca.crt')
  assert.equal((await ask(`https://localhost:${terminator.httpsPort}`, '/', { ca })).body, 'answered')
  assert.doesNotMatch(terminator.logText(), /\[(warn|error|alert|emerg)\]/)
})
