// deploy/terminator/start: its start conditions, its user and how it exits; and what docs/terminator.md says about it.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { chownSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:https'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { startPublishing } from '../engine/publishing.ts'
import { freePort } from '../support/free-port.ts'
import { rawResponse, respondWith, startHostileEngine } from '../support/hostile-engine.ts'
import { descendants } from '../support/processes.ts'
import { skipUnless, skipWithoutLinux } from '../support/requirement.ts'
import { accepts } from '../support/servers.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { skipWithoutNginx, skipWithoutStream, spawnTerminator, startTerminator } from '../support/terminator.ts'
import { until } from '../support/until.ts'
import { send } from './client.ts'

const OK = rawResponse('200 OK', [], 'answered')
const skip = skipWithoutNginx
const skipUnlessRoot = skip || skipUnless(process.getuid?.() === 0, 'runs as another user, which needs root')
const NOBODY = 65_534

async function prepare(t: TestContext) {
  const publishing = await startPublishing(t)
  await publishing.publish({ portalHost: 'localhost' })
  const portal = await startHostileEngine(t, respondWith(OK))
  return { ...publishing, portal, address: `127.0.0.1:${portal.port}`, leaf: publishing.path('terminator') }
}

test('it waits for the leaf certificate, and logs that', { skip }, async (t) => {
  const { folder, publish } = await startPublishing(t)
  const portal = await startHostileEngine(t, respondWith(OK))
  const said = Promise.withResolvers<void>()
  const starting = startTerminator(t, {
    portal: `127.0.0.1:${portal.port}`,
    leaf: join(folder, 'terminator'),
    onOutput: said.resolve,
  })
  await said.promise
  await publish({ portalHost: 'localhost' })
  const terminator = await starting
  assert.match(terminator.logText(), /^terminator: waiting for portal\.crt and portal\.key in \S+\n/)
  assert.equal((await send(`http://localhost:${terminator.httpPort}`, '/')).body, 'answered')
})

test('it can be stopped while it waits', { skip }, async (t) => {
  const run = temporaryFolder(t)
  const child = spawnTerminator({ TERMINATOR_PORTAL: '127.0.0.1:1', TERMINATOR_LEAF: '/nowhere', TERMINATOR_RUN: run })
  await once(child.stderr, 'data')
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'close'), [0, null])
})

test('a stop lets requests finish, and leaves no process or file', { skip }, async (t) => {
  const { portal, address, leaf, read } = await prepare(t)
  const ca = await read('ca/ca.crt')
  const run = temporaryFolder(t)
  const terminator = await startTerminator(t, { portal: address, leaf, settings: { TERMINATOR_RUN: run } })
  const origin = `https://localhost:${terminator.httpsPort}`
  const idle = new Agent({ keepAlive: true })
  await send(origin, '/', { ca, agent: idle })
  const { promise: arrived, resolve } = Promise.withResolvers<Socket>()
  portal.behave(resolve)
  const inFlight = send(origin, '/', { ca })
  const held = await arrived
  const processes = process.platform === 'linux' ? descendants([terminator.pid]) : []
  assert.ok(processes.length >= 5 || process.platform !== 'linux')
  const stopping = terminator.stop()
  await until(async () => !(await accepts(terminator.httpsPort)))
  held.end(OK)
  assert.equal((await inFlight).body, 'answered')
  assert.equal(await stopping, 0)
  for (const pid of processes) assert.throws(() => process.kill(pid, 0), `process ${pid} is left`)
  for (const name of ['portal.sock', 'errors', 'unavailable.html', 'nginx.pid'])
    assert.ok(!existsSync(join(run, name)), name)
  assert.equal(terminator.requests().length, 2, 'the log is complete')
  idle.destroy()
})

test('it restarts after a kill that left its files behind', { skip: skipWithoutStream }, async (t) => {
  const { leaf } = await prepare(t)
  const run = temporaryFolder(t)
  const options = { portal: 'portal.internal:80', resolver: '127.0.0.1:9', leaf, settings: { TERMINATOR_RUN: run } }
  const first = await startTerminator(t, options)
  // Then nginx has its workers: one that it began only now would be left over.
  assert.equal((await send(`http://localhost:${first.httpPort}`, '/')).status, 503)
  for (const pid of descendants([first.pid])) process.kill(pid, 'SIGKILL')
  assert.equal(await first.stop(), null)
  assert.ok(existsSync(join(run, 'nginx.pid')))
  const second = await startTerminator(t, options)
  assert.equal((await send(`http://localhost:${second.httpPort}`, '/')).status, 503)
  assert.equal(await second.stop(), 0)
})

test('when nginx cannot start, it exits with nginx’s message', { skip }, async (t) => {
  const { address, leaf } = await prepare(t)
  const settings = { TERMINATOR_HTTP: '192.0.2.1:80' }
  await assert.rejects(startTerminator(t, { portal: address, leaf, settings }), /bind\(\) to 192\.0\.2\.1:80 failed/)
})

test('a setting that nginx would misread, or that would inject configuration, is rejected by name', {
  skip,
}, async (t) => {
  const run = temporaryFolder(t)
  const file = join(run, 'file')
  writeFileSync(file, '')
  const notAddresses = ['x:80', '1.2.3:80', '::1:80', '[::1]80', '[::g]:80', '1.2.3.4:', ':80', '*:80', '[1.2.3.4]:80']
  const wrong: Readonly<Record<string, readonly string[]>> = {
    TERMINATOR_PORTAL: [
      ...['portal', '8000', 'portal:', ':8000', 'portal:0', 'portal:65536', 'portal:08000', 'portal:http', '::1:8000'],
      ...['http://portal:8000', 'portal:8000/', '1.2.3:80', '[::1]', '-portal:80', 'por..tal:80', 'portal_1;:80'],
      ...['portal:8000; include /etc/passwd', 'portal|e id', 'portal:8000\nx', 'a b:80', '$host:80'],
    ],
    TERMINATOR_HTTP: [...notAddresses, '80;', '0', '65536', '080', 'http', '80 x', ' ', '80,81', '80 80'],
    TERMINATOR_HTTPS: [
      ...['x:443', '443 ssl', '8080', '127.0.0.1:1 127.0.0.1:1', '0.0.0.0:8080', '[::]:8080'],
      ...['443 [::]:443', '0.0.0.0:443 443'],
    ],
    GATEWAY_CAPTIVE_HTTPS_PORT: ['https', '8080'],
    TERMINATOR_RESOLVER: ['dns', '127.0.0.1 `id`', '1.2.3', '::1', '[::1', '127.0.0.1:dns', '10.0.0.0/8', ' '],
    TERMINATOR_LEAF: ['/run/$request_uri', file],
    TERMINATOR_RUN: ['/tmp/a b', '/tmp/a;b', file, join(file, 'below')],
    TERMINATOR_REQUESTS_AT_ONCE: ['0', '-1', '1.5', 'many', '064', '100000', '1;', '1\n2'],
    TERMINATOR_PORTAL_CONNECTIONS: ['0', '15', '100000', 'many', '64 weight=1'],
    TERMINATOR_REQUESTS_PER_SECOND: ['0', '10r/s', '1e3'],
    TERMINATOR_UNLIMITED: [
      ...['10.0.0.0/33', '10.0.0', '10.0.0.256', '1.2.3.4.5', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.1, office', '*'],
      ...['2001:db8::/129', '2001:db8', '::1::', ':::', '1:2:3:4:5:6:7:8:9', '12345::', ':1', 'fe80::1%eth0', '::1; }'],
    ],
    TERMINATOR_ACCESS_LOG: [
      ...['on', 'access.log', '/nowhere/access.log', run, '/dev/stdout', '/dev/null', '/tmp/a b', 'syslog:'],
      ...['syslog:server=', 'syslog:server=127.0.0.1:x', 'syslog:server=::1', 'syslog:server=/dev/log'],
    ],
  }
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const port = name === 'TERMINATOR_HTTP' ? {} : { TERMINATOR_HTTP: '8080' }
      const child = spawnTerminator({ ...port, TERMINATOR_RUN: run, TERMINATOR_LEAF: '/nowhere', [name]: value })
      const output = child.stderr.toArray()
      assert.deepEqual(await once(child, 'close'), [2, null], `${name}=${value}`)
      assert.ok(String(await output).startsWith(`terminator: ${name} `), `${name}=${value}: ${await output}`)
    }
  }
})

test('a value that only nginx can reject is named as well when the leaf exists', { skip }, async (t) => {
  const { address, leaf } = await prepare(t)
  const run = temporaryFolder(t)
  const ports = { TERMINATOR_HTTP: '127.0.0.1:8080', TERMINATOR_HTTPS: '[1::2::3]:8443' }
  const child = spawnTerminator({ TERMINATOR_PORTAL: address, TERMINATOR_LEAF: leaf, TERMINATOR_RUN: run, ...ports })
  const output = child.stderr.toArray()
  assert.deepEqual(await once(child, 'close'), [2, null])
  assert.match(
    (await output).join(''),
    /^terminator: TERMINATOR_HTTPS is not valid: invalid IPv6 address in "\[1::2::3\]:8443"/m,
  )
})

test('bare ports listen on every address of the machine; networks of both families; no access log without a setting', {
  skip: skip || skipWithoutLinux,
}, async (t) => {
  const { address, leaf } = await prepare(t)
  const ports = { http: await freePort(), https: await freePort() }
  const settings = {
    TERMINATOR_HTTP: `${ports.http}`,
    TERMINATOR_HTTPS: `${ports.https}`,
    TERMINATOR_UNLIMITED: '10.0.0.0/8,192.0.2.7 0.0.0.0/0, ::/0 ::1 2001:db8::/32 1:2:3:4:5:6:7:8 1::8/128 fe80::',
    TERMINATOR_ACCESS_LOG: '',
  }
  const terminator = await startTerminator(t, { portal: address, leaf, settings, ports })
  const hosts = existsSync('/proc/net/if_inet6') ? ['127.0.0.1', '127.0.0.2', '[::1]'] : ['127.0.0.1', '127.0.0.2']
  for (const host of hosts) assert.equal((await fetch(`http://${host}:${ports.http}/`)).status, 200, host)
  await terminator.stop()
  assert.equal(terminator.logText(), '')
})

test('the access log can go to a syslog server', { skip }, async (t) => {
  const { address, leaf } = await prepare(t)
  const server = createSocket('udp4').bind(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const settings = { TERMINATOR_ACCESS_LOG: `syslog:server=127.0.0.1:${server.address().port}` }
  const terminator = await startTerminator(t, { portal: address, leaf, settings })
  const message = once(server, 'message')
  await send(`http://localhost:${terminator.httpPort}`, '/blocked?p=zqpayload')
  const [line] = await message
  assert.match(String(line), /"path":"\/blocked","status":"200"/)
  assert.doesNotMatch(String(line), /zqpayload/)
})

const resolvConf = existsSync('/etc/resolv.conf') ? readFileSync('/etc/resolv.conf', 'utf8') : ''
const nameServers = Array.from(resolvConf.matchAll(/^nameserver\s+([^\s%]+)\s*$/gm), ([, address]) => String(address))

test('without a setting, the machine’s own DNS servers are used', {
  skip: skipWithoutStream || skipUnless(nameServers.length > 0, 'needs a name server in /etc/resolv.conf'),
}, async (t) => {
  const { leaf } = await prepare(t)
  const run = temporaryFolder(t)
  await startTerminator(t, { portal: 'portal.internal:80', leaf, settings: { TERMINATOR_RUN: run } })
  const addresses = nameServers.map((address) => (address.includes(':') ? `[${address}]` : address))
  const [, resolver = ''] =
    /^ +resolver (.*) valid=2s; # TERMINATOR_RESOLVER$/m.exec(readFileSync(join(run, 'nginx.conf'), 'utf8')) ?? []
  assert.deepEqual(resolver.trim().split(' '), addresses)
})

test('started by root, its workers run as the key’s owner, who can start it, too', {
  skip: skipUnlessRoot,
}, async (t) => {
  const { address, leaf, read } = await prepare(t)
  execFileSync('chmod', ['755', join(leaf, '..')])
  for (const name of ['portal.key', 'portal.crt']) chownSync(join(leaf, name), NOBODY, NOBODY)
  const ca = await read('ca/ca.crt')
  for (const user of [undefined, NOBODY]) {
    const options = { portal: address, leaf, ...(user !== undefined && { user }) }
    const terminator = await startTerminator(t, options)
    assert.equal((await send(`https://localhost:${terminator.httpsPort}`, '/', { ca })).body, 'answered')
    const owners = descendants([terminator.pid]).flatMap((one) => {
      const status = readFileSync(`/proc/${one}/status`, 'utf8')
      return status.startsWith('Name:\tnginx\n') ? [Number(/^Uid:\t(\d+)/m.exec(status)?.[1])] : []
    })
    assert.deepEqual([owners[0], new Set(owners.slice(1))], [user ?? 0, new Set([NOBODY])])
    assert.doesNotMatch(terminator.logText(), /\[(warn|error|alert|emerg)\]/)
  }
})

describe('docs/terminator.md matches the code', () => {
  const file = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
  const document = file('docs/terminator.md')
  const start = file('deploy/terminator/start')

  test('it lists every setting of the terminator with its default, and no other', () => {
    const used = Array.from(start.matchAll(/\$\{(TERMINATOR_[A-Z_]+):-([^$}]*)/g), ([, name, value]) => [name, value])
    const rows = Array.from(document.matchAll(/^- `(TERMINATOR_[A-Z_]+)` \((?:`([^`)]*)`|[^)]*)\): /gm))
    assert.ok(rows.length > 8)
    assert.deepEqual(new Map(rows.map(([, name, value = '']) => [name, value])), new Map(used as [string, string][]))
  })
  test('its example of a log line has all fields', () => {
    const [line] = document.match(/^\{"time":.*\}$/m) ?? []
    const format = file('deploy/terminator/nginx.conf').match(/log_format requests[^;]*;/s)?.[0] ?? ''
    const fields = Array.from(format.matchAll(/"(\w+)":/g), ([, name]) => name)
    assert.ok(fields.length > 8)
    assert.deepEqual(Object.keys(JSON.parse(line ?? '')), fields)
  })
})
