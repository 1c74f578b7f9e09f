// What happens to the log lines of portal and engine after they are written: the journal, rsyslog, a SIEM and logrotate.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { listen } from '../support/listen.ts'
import { hasCommand, skipUnless } from '../support/requirement.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { read as readUnit } from './units.ts'

const OBSERVABILITY = fileURLToPath(new URL('../../deploy/observability/', import.meta.url))
const NAMES = ['gateway-portal', 'gateway-engine']
const LOGS = '/var/log/gateway'

const read = (name: string) => readFileSync(join(OBSERVABILITY, name), 'utf8')

test('units and containers have the same names in the journal, which rsyslog expects', () => {
  const { services } = parse(read('journald.yaml'))
  const tags = Object.values<{ logging: { driver: string; options: { tag: string } } }>(services).map(({ logging }) => {
    assert.deepEqual([logging.driver, Object.keys(logging.options)], ['journald', ['tag']])
    return logging.options.tag
  })
  assert.deepEqual(tags, NAMES)
  for (const name of NAMES) {
    const unit = readUnit(`${name}.service`)
    assert.match(unit, new RegExp(`^SyslogIdentifier=${name}$`, 'm'))
    // The journal would otherwise drop lines of a busy engine.
    assert.match(unit, /^LogRateLimitIntervalSec=0$/m)
    assert.ok(read('rsyslog.conf').includes(`$programname == "${name}"`), name)
  }
})

test('rsyslog: each program’s lines as they were written, in its file and at the SIEM', {
  skip: skipUnless(hasCommand('rsyslogd') && hasCommand('logger'), 'needs rsyslog: apt-get install rsyslog'),
  timeout: 60_000,
}, async (t) => {
  const work = temporaryFolder(t)
  mkdirSync(join(work, 'log'))
  let received = ''
  const siem = createServer((socket) => {
    socket.setEncoding('utf8').on('data', (text) => {
      received += text
    })
  })
  const port = await listen(t, siem)
  const configuration = read('rsyslog.conf')
    .replaceAll(LOGS, join(work, 'log'))
    // The example without TLS.
    .replace('#action', 'action')
    .replace(/^ *#( +)StreamDriver=.*\n/m, '')
    .replaceAll(/^ *#(?= +(action|queue)\.)/gm, '')
    .replace('siem.example', '127.0.0.1')
    .replace('6514', `${port}`)
  const socket = join(work, 'socket')
  // As Debian's: the module is loaded before the folder of configurations is read.
  const main = `module(load="imuxsock" SysSock.Use="off")
input(type="imuxsock" Socket="${socket}")
global(workDirectory="${work}")
${configuration}
action(type="omfile" file="${join(work, 'log', 'others.log')}")
`
  writeFileSync(join(work, 'rsyslog.conf'), main)
  const daemon = spawn('rsyslogd', ['-n', '-f', join(work, 'rsyslog.conf'), '-i', join(work, 'pid')], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let errors = ''
  for (const stream of [daemon.stdout, daemon.stderr]) stream.on('data', (chunk) => (errors += chunk))
  const ended = once(daemon, 'close')
  t.after(async () => {
    daemon.kill()
    await ended
    siem.unref()
  })
  await until(() => existsSync(socket), 20)
  const long = JSON.stringify({ destination: `https://x.example/${'a'.repeat(20_000)}` })
  const portal = ['{"level":30,"rule":"a \\"b\\" {ü}","event":"verdict"}', long]
  const engine = ['{"level":30,"decision":"block"}']
  const log = (tag: string, line: string) =>
    execFileSync('logger', ['--socket', socket, '--size', '60000', '--id=7', '--tag', tag, line])
  for (const line of portal) log('gateway-portal', line)
  for (const line of engine) log('gateway-engine', line)
  log('sshd', '{"not":"ours"}')
  const written = (name: string) => {
    const file = join(work, 'log', name)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }
  await until(() => written('others.log') !== '' && received.includes(engine[0] ?? ''), 20)
  assert.equal(written('portal.log'), portal.map((line) => `${line}\n`).join(''))
  assert.equal(written('engine.log'), engine.map((line) => `${line}\n`).join(''))
  assert.match(written('others.log'), /not.*ours/)
  assert.doesNotMatch(written('others.log'), /gateway-/)
  for (const line of [...portal, ...engine]) assert.ok(received.includes(` - - - ${line}`), line)
  assert.match(received, /^\d+ <\d+>1 \d{4}-\S+ \S+ gateway-portal - - - \{/)
  assert.doesNotMatch(received, /ours/)
  assert.equal(errors, '')
})

test('logrotate: both logs reach equally far back, however much is in them', {
  skip: skipUnless(hasCommand('logrotate'), 'needs logrotate: apt-get install logrotate'),
}, (t) => {
  const work = temporaryFolder(t)
  mkdirSync(join(work, 'log'))
  const log = join(work, 'log')
  const COUNT = 3
  const configuration = read('logrotate')
    .replaceAll(LOGS, log)
    .replace(/rotate \d+/, `rotate ${COUNT}`)
    // All days of the test are today.
    .replace(/^ *dateext\n/m, '')
    .replace(/create .*/, 'create 0640')
    .replace('/usr/lib/rsyslog/rsyslog-rotate', 'true')
  const file = join(work, 'logrotate.conf')
  writeFileSync(file, configuration, { mode: 0o644 })
  for (let day = 0; day < COUNT + 2; day++) {
    writeFileSync(join(log, 'engine.log'), `{"day":${day}}\n`.repeat(1000), { flag: 'a' })
    if (day === 0) writeFileSync(join(log, 'portal.log'), '{"day":0}\n')
    execFileSync('logrotate', ['--force', '--state', join(work, 'state'), file])
    const kept = (name: string) => readdirSync(log).filter((one) => one.startsWith(`${name}.log.`)).length
    const expected = Math.min(day + 1, COUNT)
    assert.deepEqual([kept('portal'), kept('engine')], [expected, expected], `day ${day}`)
  }
})
