// Alarms by Postfix, about causes that are made true: a killed engine and portal, a proxy that is missing, a full file system,
// a rejected list, an expired CA, a clock that is off.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gatewayctl } from '../../test/gatewayctl/gatewayctl.ts'
import { makeCertificate, makeServed } from '../../test/support/certificates.ts'
import { type Cleanup, inReverse } from '../../test/support/cleanup.ts'
import { startEngineProcess } from '../../test/support/engine-process.ts'
import { freePort } from '../../test/support/free-port.ts'
import { startPortalProcess } from '../../test/support/portal-process.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { until } from '../../test/support/until.ts'

const MINUTE = 60_000
const MEGABYTE = 2 ** 20

/** Postfix with its own configuration and queue: SMTP without TLS, SMTP over TLS, and its sendmail. */
async function startPostfix(t: Cleanup) {
  const folder = temporaryFolder(t)
  const [port, tlsPort] = [await freePort(), await freePort()]
  const file = (name: string) => join(folder, name)
  const { ca, leaf } = makeServed('localhost')
  writeFileSync(file('leaf.pem'), leaf.key + leaf.certificate)
  writeFileSync(file('ca.pem'), ca.certificate)
  const boxes = file('boxes')
  const owner = Number(execFileSync('id', ['-u', 'nobody'], { encoding: 'utf8' }))
  for (const name of ['queue', 'data', 'boxes']) mkdirSync(file(name))
  chownSync(boxes, owner, owner)
  chownSync(file('data'), Number(execFileSync('id', ['-u', 'postfix'], { encoding: 'utf8' })), 0)
  const settings = {
    ...{ compatibility_level: 3, queue_directory: file('queue'), data_directory: file('data') },
    ...{ myhostname: 'mail.school.example', mydestination: '', inet_interfaces: '127.0.0.1', inet_protocols: 'ipv4' },
    ...{ mynetworks: '127.0.0.0/8', maillog_file_prefixes: folder, maillog_file: file('log'), alias_maps: '' },
    ...{ virtual_mailbox_domains: 'school.example', virtual_mailbox_base: boxes, virtual_minimum_uid: 1 },
    ...{
      virtual_mailbox_maps: 'static:box/',
      virtual_uid_maps: `static:${owner}`,
      virtual_gid_maps: `static:${owner}`,
    },
    ...{ smtpd_tls_chain_files: file('leaf.pem'), multi_instance_enable: 'yes', smtputf8_enable: 'no' },
  }
  const lines = Object.entries(settings).map((pair) => pair.join(' = '))
  cpSync('/etc/postfix/master.cf', file('master.cf'))
  const services = readFileSync(file('master.cf'), 'utf8').replace(
    /^smtp( +)inet.*$/m,
    [
      `127.0.0.1:${port} inet n - n - - smtpd`,
      `127.0.0.1:${tlsPort} inet n - n - - smtpd -o smtpd_tls_wrappermode=yes`,
    ].join('\n'),
  )
  // Without the chroot of Debian, which has no copies of the system's files here.
  writeFileSync(file('master.cf'), services.replace(/^(\S+ +\S+ +\S+ +\S+ +)y( )/gm, '$1n$2'))
  writeFileSync(file('main.cf'), `${lines.join('\n')}\n`)
  const program = file('sendmail')
  writeFileSync(program, `#!/bin/sh\nexec /usr/sbin/sendmail -C '${folder}' "$@"\n`)
  chmodSync(program, 0o755)
  const started = spawnSync('postfix', ['-c', folder, 'start'], { encoding: 'utf8' })
  t.after(async () => void spawnSync('postfix', ['-c', folder, 'abort']))
  assert.equal(started.status, 0, started.stderr)
  const mails = () => {
    try {
      const box = join(boxes, 'box', 'new')
      return readdirSync(box)
        .sort()
        .map((name) => readFileSync(join(box, name), 'utf8').replaceAll('=\n', ''))
    } catch {
      return []
    }
  }
  return { port, tlsPort, ca: file('ca.pem'), program, mails, log: () => readFileSync(file('log'), 'utf8') }
}

test('Postfix accepts the test by SMTP, over TLS, and from its sendmail', async (t) => {
  const { port, tlsPort, ca, program, mails, log } = await startPostfix(t)
  const config = join(temporaryFolder(t), 'policy.toml')
  for (const [at, way] of [
    `smtp = "smtp://localhost:${port}"`,
    `smtp = "smtps://localhost:${tlsPort}"\nca_file = "${ca}"`,
    `sendmail = "${program}"`,
  ].entries()) {
    writeFileSync(config, `[alarms]\nto = ["it@school.example"]\nfrom = "gateway@school.example"\n${way}\n`)
    const { status, stdout, stderr } = await gatewayctl(['alarms', 'test', '--config', config])
    assert.equal(status, 0, stderr)
    assert.match(stdout, at < 2 ? /^Sent by mail: 250 2\.0\.0 Ok: queued as \w+\n$/ : /accepted it\n$/)
    await until(() => mails().length > at || (/fatal|panic/.test(log()) && assert.fail(log())), 20)
  }
  for (const mail of mails()) assert.match(mail, RegExp(`^Subject: \\[${hostname()}\\] Test of the alarms$`, 'm'))
})

test('causes that are true are in one mail, and one more says which have ended', {
  timeout: 240_000,
}, async (context) => {
  const t = inReverse(context)
  const postfix = await startPostfix(t)
  const folder = temporaryFolder(t)
  const list = join(folder, 'adult.txt')
  const names = (count: number) => Array.from({ length: count }, (_, at) => `adult-${at}.example\n`).join('')
  writeFileSync(list, names(100))
  const config = join(folder, 'policy.toml')
  const policy = readFileSync('src/engine/sample-policy.toml', 'utf8')
  const mail = `to = ["it@school.example"]\nfrom = "gateway@school.example"\nsmtp = "smtp://127.0.0.1:${postfix.port}"`
  // What this machine has, and not the gateway.
  const ignore = [
    '/var/log',
    '/var/lib/docker',
    '/tmp',
    '/var/lib/postgresql',
    '/etc/gateway',
    folder,
    '/var/lib/gateway-engine',
  ]
    .concat('/var/lib/portal', '/var/lib/gateway-lists', '/var/backups/gateway', '/var/lib/containers')
    .map((path) => `disk:${path}`)
  const section = `[alarms]\n${mail}\nignore = ${JSON.stringify(['clock:engine', ...ignore])}\n`
  const listed = `[[lists]]\nname = "adult"\npath = "${list}"\n[[rules]]\nname = "adult"\nlists = ["adult"]\naction = "block"\n`
  writeFileSync(config, `${policy}\n${listed}\n${section}`)
  const engine = await startEngineProcess(folder, { config })
  t.after(() => engine.stop())

  const disk = join(folder, 'disk')
  mkdirSync(disk)
  assert.equal(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]).status, 0)
  t.after(async () => void spawnSync('umount', ['--lazy', disk]))
  const [listenPort, opsPort, proxyPort] = [await freePort(), await freePort(), await freePort()]
  const caPath = join(folder, 'ca.crt')
  const { certificate } = makeCertificate({ notBefore: 1_000_000_000, notAfter: Date.now() / 1000 + 365 * 86_400 })
  writeFileSync(caPath, certificate)
  const env: Readonly<Record<string, string>> = {
    ...engine.portalVariables,
    ...{ PATH: `${process.env.PATH}`, GATEWAY_HOME: folder, GATEWAY_CAPTIVE_HOSTNAME: '127.0.0.1' },
    ...{ GATEWAY_CAPTIVE_BASE_URL: `http://127.0.0.1:${listenPort}`, GATEWAY_CAPTIVE_CA_PATH: caPath },
    ...{ GATEWAY_CAPTIVE_LISTEN_PORT: `${listenPort}`, GATEWAY_CAPTIVE_OPS_PORT: `${opsPort}` },
  }
  const portal = startPortalProcess(t, { ...env, GATEWAY_CAPTIVE_SHARED_SECRET: '' })
  await portal.listening

  let [now, offset] = [Date.now(), 0]
  const round = async () => {
    now = Date.now() + offset
    const { PROXY_CLIENTS, ...more } = causes
    const variables = { ...env, ...more, ...(PROXY_CLIENTS !== undefined && { PROXY_CLIENTS }) }
    const run = await gatewayctl(['alarms', 'check', '--config', config, '--state', join(folder, 'state.json')], {
      env: { ...variables, GATEWAY_CAPTIVE_DATABASE_URL: `sqlite:///${join(disk, 'portal.db')}` },
      clock: () => now,
    })
    offset += 2 * MINUTE
    assert.ok(run.status === 0, run.stderr)
    return run.stdout
      .split('\n')
      .filter((line) => / /.test(line) && !/^(Sent|Nothing)/.test(line))
      .map((line) => line.split(': ')[0])
      .sort()
  }
  let causes: Readonly<Record<string, string>> = {}
  assert.deepEqual(await round(), [])

  // Ten minutes later by the watcher's clock alone.
  offset = 10 * MINUTE
  assert.deepEqual(await round(), ['clock:portal'])

  causes = { PROXY_CLIENTS: '127.0.0.1', PROXY_LISTEN: `127.0.0.1:${proxyPort}` }
  writeFileSync(join(disk, 'filler'), Buffer.alloc(3.9 * MEGABYTE))
  writeFileSync(caPath, makeCertificate({ notBefore: 1_000_000_000, notAfter: 1_100_000_000 }).certificate)
  writeFileSync(list, names(10))
  assert.match((await engine.request('POST', '/api/admin/reload', {})).body, /adult/)
  portal.child.kill('SIGKILL')
  const all = ['certificate:ca', `disk:${disk}`, 'lists', 'policy', 'portal', 'proxy']
  assert.deepEqual(await round(), all)
  assert.equal(postfix.mails().length, 0)
  await round()
  const [first = ''] = await until(() => postfix.mails().length > 0 && postfix.mails(), 20)
  assert.match(first, /^Subject: \[127\.0\.0\.1\] 6 ALARMS: /m)
  for (const words of [
    /ALARM {2}The portal is not healthy: .*does not respond/,
    /ALARM {2}The proxy does not respond: .*ECONNREFUSED/,
    /ALARM {2}Browsers trust no site: .* expired on 2004/,
    /ALARM {2}Lists whose files are not in force, or lists or groups that were rejected: adult/,
    /ALARM {2}The file system of \S+disk is nearly full: 9\d % of its space in use/,
  ]) {
    assert.match(first, words)
  }

  await engine.kill('SIGKILL')
  await round()
  assert.deepEqual(await round(), ['certificate:ca', `disk:${disk}`, 'engine', 'portal', 'proxy'])
  const [, second = ''] = await until(() => postfix.mails().length > 1 && postfix.mails(), 20)
  // What the engine reported is not known now: it has not ended.
  assert.match(second, /^Subject: \[127\.0\.0\.1\] ALARM: engine$/m)

  execFileSync('rm', [join(disk, 'filler')])
  writeFileSync(list, names(100))
  await engine.restart()
  await round()
  assert.deepEqual(await round(), ['certificate:ca', 'portal', 'proxy'])
  const [, , third = ''] = await until(() => postfix.mails().length > 2 && postfix.mails(), 20)
  assert.match(third, /^Subject: \[127\.0\.0\.1\] ended: /m)
  for (const id of ['engine', 'lists', 'policy', `disk:${disk}`]) assert.ok(third.includes(id), id)
  assert.doesNotMatch(third, /ALARM/)
  assert.equal(postfix.mails().length, 3)
})
