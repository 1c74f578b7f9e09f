// The other verbs of `engine` against a running engine.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { RULES } from '../../engine/control-api/administration/policy.ts'
import { policy } from '../../engine/running-engine.ts'
import { HOSTILE_RULE, HOSTILE_USER } from '../../support/hostile.ts'
import { keyring, SECRET } from '../../support/payloads.ts'
import { rule } from '../../support/rules.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { type AdministeredEngine, startAdministered } from './against-engine.ts'

const CLIENT = '198.51.100.7'

async function openSessions(engine: AdministeredEngine): Promise<void> {
  await engine.acknowledge(await engine.verdict('https://news.example/', CLIENT))
  engine.pass(10)
  await engine.acknowledge(await engine.verdict('https://evil.example/', CLIENT, HOSTILE_USER))
}

test('status: the policy, its last load, the database and the counts', async (t) => {
  const engine = await startAdministered(t)
  await openSessions(engine)
  const { status, stdout, stderr } = await engine.run(['status'])
  assert.deepEqual([status, stderr], [0, ''])
  const { revision } = engine.policies.current
  assert.equal(
    stdout,
    `\
engine       ok       https://127.0.0.1:${engine.port} responds; 2 stopped requests can be looked up
secret       skipped  the engine seals with the key ${keyring.sealing.kid}; the portal’s shared secret is not known here; root can read it
policy       ok       6 rules, 1 list with 2 names, default allow; revision ${revision}
last-load    ok       no problems
lists        ok       1 list in force from their files
database     warning  responds, but is in memory: sessions are lost with its container
journal      off      turned off ([journal] days = 0)
sessions     ok       2 sessions: gatewayctl engine sessions list
lockouts     ok       0 lockouts
permissions  ok       0 temporary permissions
`,
  )
  const json = JSON.parse((await engine.run(['status', '--json'])).stdout)
  assert.deepEqual([json.ok, json.sessions, json.policy.revision], [true, 2, revision])
})

test('status: whether the portal has the engine’s secret, by its variables or by its file', async (t) => {
  const engine = await startAdministered(t)
  const home = temporaryFolder(t)
  mkdirSync(join(home, 'secrets'))
  const file = join(home, 'secrets', 'shared-secret')
  const other = 'an0ther-secret-of-this-test-0123456789abc'
  const secret = async (env: Readonly<Record<string, string>>) => {
    const { status, stdout } = await engine.run(['status'], { env: { GATEWAY_HOME: home, ...env } })
    const [, state, detail = ''] = /^secret +(\w+) +(.*)$/m.exec(stdout) ?? []
    return { status, state, detail }
  }
  const detailOfSame = `the engine seals with the key ${keyring.sealing.kid}, which the portal opens`
  const same = { status: 0, state: 'ok', detail: detailOfSame }
  assert.deepEqual(await secret({ GATEWAY_CAPTIVE_SHARED_SECRET: `${other} ${SECRET}` }), same)
  writeFileSync(file, SECRET)
  assert.deepEqual(await secret({}), same)
  writeFileSync(file, other)
  const { status, state, detail } = await secret({})
  assert.deepEqual([status, state], [1, 'failing'])
  assert.match(detail, /, the portal opens [\w-]{8}: their shared secrets differ$/)
  assert.equal((await secret({ GATEWAY_CAPTIVE_SHARED_SECRET_FILE: '/nowhere' })).state, 'skipped')
})

test('a reload prints every problem, and the command that accepts losses; status reports it until the next one', async (t) => {
  const engine = await startAdministered(t)
  await engine.write(RULES.replace('"bank"', '""').replace('"block"', '"\\u001b[2Jblok"'))
  const kept = await engine.run(['reload'])
  assert.equal(kept.status, 1)
  assert.match(
    kept.stdout,
    /^Rejected: 2 problems\. The previous policy stays in force: 6 rules, 1 list with 2 names, /,
  )
  assert.match(kept.stderr, /^problem: .*rules\[1\]\.name must .*\nproblem: .*rules\[2\]\.action must .*\n$/)
  assert.doesNotMatch(kept.stderr.replaceAll('\n', ''), /\p{C}/u)
  const status = await engine.run(['status'])
  assert.equal(status.status, 1)
  assert.match(
    status.stdout,
    /\nlast-load {4}failing {2}rejected, the previous policy stays in force: .*rules\[1\]\.name must/,
  )

  await engine.write(policy(`${rule('one', 'block')}${rule('two', 'block')}`))
  const { stderr } = await engine.run(['reload'])
  const [, command = ''] =
    /^problem: .* must not lose half of .* To accept it: gatewayctl engine (.*)\n$/.exec(stderr) ?? []
  const accepted = await engine.run(command.split(' '))
  assert.deepEqual(accepted, { status: 0, stdout: 'Loaded: 2 rules, no list, default allow.\n', stderr: '' })
  assert.equal((await engine.decide('https://two.example/')).json.verdict, 'block')
  assert.equal((await engine.run(['status'])).status, 0)

  await engine.write('')
  const empty = await engine.run([...command.split(' '), '--json'])
  assert.equal(empty.status, 1)
  assert.match(JSON.parse(empty.stdout).problems[0], /policy\.toml must not be empty; it has no bytes$/)
})

test('status: lists whose files are not in force, and which of them fail', async (t) => {
  const engine = await startAdministered(t)
  const line = async () => {
    await engine.policies.reload()
    const { status, stdout } = await engine.run(['status'])
    return [status, /^lists +(\w+ +.*)$/m.exec(stdout)?.[1]]
  }
  await engine.write('<html>', 'adult.txt')
  const since = '20\\d\\d-[0-9-]+T[0-9:]+Z'
  const [, kept] = await line()
  assert.match(
    `${kept}`,
    new RegExp(`^warning {2}"adult": its file is not in force, but its last good copy, of ${since}$`),
  )
  await engine.write(RULES.replace('adult.txt', 'moved.txt'))
  const other = '"adult": its file is not in force; the one that it had before stops requests, and allows none'
  assert.deepEqual(await line(), [1, `failing  ${other}`])
  const missing = (...keys: readonly string[]) =>
    engine.write(`${RULES}[[lists]]\nname = "new"\npath = "new.txt"\n${keys.join('\n')}\n`)
  await engine.write('adult.example', 'adult.txt')
  await missing('optional = true')
  const nothing = '"new": nothing is in force, so rules by it do not match'
  assert.deepEqual(await line(), [0, `warning  ${nothing}; it is optional`])
  await missing()
  const { status: reloaded, stdout, stderr } = await engine.run(['reload'])
  assert.equal(reloaded, 1)
  assert.match(stdout, /^Loaded: 6 rules, 2 lists with 1 name, /)
  assert.match(
    stderr,
    /^warning: .*\nproblem: .*new\.txt must be .*ENOENT\. There is no copy of it: .*systemctl start gateway-lists/,
  )
  const lastLoad = async () => /^last-load +(.*)$/m.exec((await engine.run(['status'])).stdout)?.[1] ?? ''
  assert.match(await lastLoad(), /^warning {2}a list was rejected: \S+ lists\[2\]\.path: .* There is no copy of it: /)
  assert.doesNotMatch(await lastLoad(), /stays in force/)
  assert.deepEqual(await line(), [1, `failing  ${nothing}, and no start succeeds`])
})

test('status: an update of groups that breaks an expectation', async (t) => {
  const engine = await startAdministered(t)
  const staff = `[groups]\nstaff = { file = "staff.txt" }\n${rule('staff', 'allow', 'groups = ["staff"]')}`
  const expected = '[[expect]]\nurl = "http://x.example/"\nuser = "anna"\nverdict = "allow"\nrule = "staff"\n'
  await engine.write('anna\nbruno\nchiara\n', 'staff.txt')
  await engine.write(policy(`${staff}${expected}[[lists]]\nname = "x"\npath = "x.txt"\n`))
  await engine.write('a.example', 'x.txt')
  assert.deepEqual((await engine.policies.reload(true)).problems, [])
  await engine.write('bruno\nchiara\n', 'staff.txt')
  await engine.write('b.example', 'x.txt')
  assert.equal((await engine.policies.reload()).result, 'loaded')
  const { status, stdout } = await engine.run(['status'])
  assert.equal(status, 0)
  assert.match(
    stdout,
    /\nlast-load {4}warning {2}an update of groups was rejected: \S+ groups\.staff\.file: .* must not break /,
  )
})

test('without a database status exits with 1', async (t) => {
  const engine = await startAdministered(t)
  await engine.state.close()
  const { status, stdout } = await engine.run(['status'])
  assert.equal(status, 1)
  assert.match(stdout, /\ndatabase {5}failing {2}does not respond/)
  assert.match(stdout, /\nsessions {5}skipped /)
  const list = await engine.run(['sessions', 'list'])
  assert.deepEqual(list, {
    status: 1,
    stdout: '',
    stderr: "error: the engine: The engine's database does not respond.\n",
  })
})

test('sessions are listed in columns and ended by what selects them', async (t) => {
  const engine = await startAdministered(t)
  await openSessions(engine)
  const list = await engine.run(['sessions', 'list'])
  assert.equal(
    list.stdout,
    `\
started_at        expires_at        client        user                 rule
2027-01-15 09:00  2027-01-15 10:00  198.51.100.7  o'brien \\u{e000}<b>  "><script>\\u{202e}\\u{2066}rm -rf
2027-01-15 09:00  2027-01-15 09:30  198.51.100.7  -                    news
`,
  )
  assert.match(list.stderr, /^2 in all\. To end some: gatewayctl engine sessions end /)
  const cut = await engine.run(['sessions', 'list', '--limit', '1'])
  assert.match(cut.stderr, /^The first 1; more match \(--limit shows more\)\./)
  const hostile = await engine.run(['sessions', 'list', '--rule', HOSTILE_RULE, '--user', HOSTILE_USER, '--json'])
  const [first, ...more] = JSON.parse(hostile.stdout).sessions
  assert.deepEqual([first.rule, more], [HOSTILE_RULE, []])

  for (const args of [[], ['--all', '--rule', 'news'], ['--limit', '1']]) {
    assert.equal((await engine.run(['sessions', 'end', ...args])).status, 2, args.join(' '))
  }
  assert.equal((await engine.state.counts()).sessions, 2)
  const ended = await engine.run(['sessions', 'end', '--rule', 'news', '--client', CLIENT])
  assert.equal(ended.stdout, '1 session ended.\n')
  assert.equal((await engine.decide('https://news.example/', CLIENT)).json.verdict, 'warn')
  assert.deepEqual(JSON.parse((await engine.run(['sessions', 'end', '--all', '--json'])).stdout), { ended: 1 })
  assert.deepEqual(await engine.run(['sessions', 'list']), { status: 0, stdout: '', stderr: 'No session matches.\n' })
})

test('lockouts are listed and ended', async (t) => {
  const engine = await startAdministered(t)
  const verdict = await engine.verdict('https://lab.example/', '2001:db8::7')
  for (const code of ['11111', '22222']) await engine.acknowledge(verdict, code)
  const list = await engine.run(['lockouts', 'list'])
  assert.equal(
    list.stdout,
    `\
expires_at        client             user  rule
2027-01-15 09:15  2001:db8:0:0::/64  -     lab
`,
  )
  const ended = await engine.run(['lockouts', 'end', '--client', '2001:db8:0:0::/64'])
  assert.equal(ended.stdout, '1 count of wrong codes was deleted.\n')
  assert.equal((await engine.acknowledge(verdict, '80361')).status, 302)
  assert.match((await engine.run(['lockouts', 'list'])).stderr, /^No lockout matches\./)
})

test('a host is opened for a time, listed, and closed', async (t) => {
  const engine = await startAdministered(t)
  const allowed = await engine.run(['allow', '.adult.example', '--for', '90m', '--by', "Ms O'Rossi"])
  assert.equal(
    allowed.stdout,
    "adult.example with all hosts below it is open until 2027-01-15 10:30 for everyone, by Ms O'Rossi.\n",
    allowed.stderr,
  )
  assert.equal(allowed.stderr, 'To close it earlier: gatewayctl engine permissions end .adult.example --everyone\n')
  await engine.run(['allow', 'adult.example', '--for', '2h', '--by', 'x', '--json'])
  const list = await engine.run(['permissions', 'list'])
  assert.equal(
    list.stdout,
    `\
host            created_at        expires_at        for       by
.adult.example  2027-01-15 09:00  2027-01-15 10:30  everyone  Ms O'Rossi
adult.example   2027-01-15 09:00  2027-01-15 11:00  everyone  x
`,
  )
  assert.equal((await engine.decide('https://a.adult.example/')).json.verdict, 'allow')
  const ended = await engine.run(['permissions', 'end', '.adult.example'])
  assert.deepEqual([ended.status, ended.stdout], [0, '1 permission ended.\n'])
  assert.match(
    ended.stderr,
    /^It is still open until 2027-01-15 11:00 for everyone: gatewayctl engine permissions end adult\.ex/,
  )
  assert.equal((await engine.decide('https://a.adult.example/')).json.verdict, 'block')
  assert.equal((await engine.run(['permissions', 'end', 'adult.example'])).stderr, '')
  const none = await engine.run(['permissions', 'end', 'adult.example'])
  assert.equal(none.status, 1)
  assert.match((await engine.run(['permissions', 'list'])).stderr, /^No host is open for a time\./)
})

test('a host is opened for some, and closed for exactly these', async (t) => {
  const engine = await startAdministered(
    t,
    `${RULES}[groups]\n"all staff" = { users = ["anna"] }\n[rooms]\n12 = ["192.168.12.0/24"]\n`,
  )
  const allow = ['allow', 'adult.example', '--for', '2h', '--by', 'x']
  const group = ['--group', 'all staff']
  const one = await engine.run([...allow, '--client', '192.168.12.7/24', '--user', 'Anna', ...group])
  assert.equal(
    one.stdout,
    'adult.example is open until 2027-01-15 11:00 for the user anna of the group all staff in 192.168.12.0/24, by x.\n',
    one.stderr,
  )
  await engine.run([...allow, '--user', HOSTILE_USER])
  await engine.run([...allow, ...group])
  await engine.run([...allow, '--client', '10.0.0.0/8'])
  const room = await engine.run([...allow, '--room', '12', '--user', 'cora'])
  assert.match(room.stderr, /: gatewayctl engine permissions end adult\.example --room 12 --user cora\n$/)
  const { stdout } = await engine.run(['permissions', 'list'])
  const scopes = stdout
    .split('\n')
    .slice(1, -1)
    .map((line) => line.replace(/^.*:\d\d {2}(.*?) {2,}x$/, '$1'))
  assert.deepEqual(scopes.toSorted(), [
    'clients in 10.0.0.0/8',
    'the group all staff',
    'the user anna of the group all staff in 192.168.12.0/24',
    'the user cora in room 12',
    "the user o'brien \\u{e000}<b>",
  ])
  const verdictOf = async (client: string, user?: string) =>
    (await engine.decide('https://adult.example/', client, user)).json.verdict
  assert.deepEqual(
    [await verdictOf('10.1.1.1'), await verdictOf(CLIENT), await verdictOf(CLIENT, 'anna')],
    ['allow', 'block', 'allow'],
  )

  const ended = await engine.run(['permissions', 'end', 'adult.example', '--client', '10.0.0.0/8'])
  assert.match(ended.stdout, /^1 permission ended\.\n$/)
  assert.match(ended.stderr, /^It is still open until .*: gatewayctl engine permissions end adult\.example --/)
  assert.equal(await verdictOf('10.1.1.1'), 'block')
  // The command that was printed, as it stands.
  const [, printed = ''] = /gatewayctl engine (.*)\n/.exec(one.stderr) ?? []
  assert.equal(printed, "permissions end adult.example --client 192.168.12.0/24 --user anna --group 'all staff'")
  const args = ['permissions', 'end', 'adult.example', '--client', '192.168.12.0/24', '--user', 'anna', ...group]
  assert.equal((await engine.run(args)).stdout, '1 permission ended.\n')
  assert.equal((await engine.run(args)).status, 1)
  assert.equal((await engine.run(['permissions', 'end', 'adult.example'])).stdout, '3 permissions ended.\n')

  for (const wrong of [
    ['--group', 'staff'],
    ['--client', 'room 12'],
    ['--room', '13'],
    ['--user', '-'],
    ['--despite', 'exam'],
  ]) {
    const { status, stdout, stderr } = await engine.run([...allow, ...wrong])
    assert.deepEqual([status, stdout], [2, ''], wrong.join(' '))
    assert.match(stderr, new RegExp(`^error: the engine: "${wrong[0]?.slice(2)}" must `))
  }
  assert.deepEqual(await engine.state.permissions(), [])
})

test('the command that is printed for everyone leaves what is open for others; without it, all for the host end', async (t) => {
  const engine = await startAdministered(t, `${RULES}[rooms]\n12 = ["192.168.12.0/24"]\n`)
  const allow = ['allow', 'adult.example', '--for', '2h', '--by', 'x']
  const open = async () => (await engine.state.permissions()).map(({ room }) => room ?? 'everyone')
  assert.equal((await engine.run([...allow, '--room', '12'])).status, 0)
  const { stderr } = await engine.run(allow)
  const [, printed = ''] = /^To close it earlier: gatewayctl engine (.*)\n$/.exec(stderr) ?? []
  assert.equal(printed, 'permissions end adult.example --everyone')
  const ended = await engine.run(printed.split(' '))
  assert.deepEqual([ended.status, ended.stdout], [0, '1 permission ended.\n'])
  assert.equal(
    ended.stderr,
    'It is still open until 2027-01-15 11:00 for clients in room 12: gatewayctl engine permissions end adult.example --room 12\n',
  )
  assert.deepEqual(await open(), ['12'])
  assert.equal((await engine.run(printed.split(' '))).status, 1, 'none is for everyone')
  for (const scope of ['--room', '--client', '--user', '--group']) {
    const both = await engine.run([...printed.split(' '), scope, '12'])
    assert.deepEqual([both.status, both.stdout], [2, ''], scope)
  }
  assert.deepEqual(await open(), ['12'])
  await engine.run(allow)
  const all = await engine.run(['permissions', 'end', 'adult.example'])
  assert.equal(all.stdout, '2 permissions ended.\n')
  assert.deepEqual(await open(), [])
})

test('times are in the zone of GATEWAY_TIMEZONE, UTC is named, and JSON stays in it; no zone opens nothing', async (t) => {
  const engine = await startAdministered(t)
  const allow = async (zone: string, ...more: readonly string[]) =>
    await engine.run(['allow', 'adult.example', '--for', '16h', '--by', 'x', ...more], {
      env: { GATEWAY_TIMEZONE: zone },
    })
  const none = await allow('Mars/Olympus')
  assert.deepEqual(none, {
    ...{ status: 2, stdout: '' },
    stderr: 'error: GATEWAY_TIMEZONE must be a time zone such as Europe/Zurich; it is now Mars/Olympus\n',
  })
  assert.deepEqual(await engine.state.permissions(), [])
  const json = await allow('Europe/Zurich', '--json')
  assert.equal(JSON.parse(json.stdout).expires_at, '2027-01-16T00:00:00Z')
  for (const [zone, shown] of [
    ['Europe/Zurich', '2027-01-16 01:00'],
    ['America/New_York', '2027-01-15 19:00'],
    ['Etc/UTC', '2027-01-16 00:00 UTC'],
  ] as const) {
    const { stdout } = await allow(zone)
    assert.ok(stdout.startsWith(`adult.example is open until ${shown} for everyone`), stdout)
    const list = await engine.run(['permissions', 'list'], { env: { GATEWAY_TIMEZONE: zone } })
    assert.ok(list.stdout.includes(`  ${shown}  everyone  x\n`), list.stdout)
  }
})

test('rules: in their order, with what they have stopped and allowed today', async (t) => {
  const locked = rule('shut', 'block', 'match = ["a.example", "b.example", "c.example", "d.example"]', 'locked = true')
  const engine = await startAdministered(t, `${RULES}${locked}`)
  await openSessions(engine)
  await engine.decide('https://news.example/', CLIENT)
  await engine.decide('https://a.example/', CLIENT)
  const { status, stdout, stderr } = await engine.run(['rules'])
  assert.equal(status, 0, stderr)
  const lines = RULES.split('\n')
  const lineOf = (name: string) => lines.findIndex((text) => text.includes(`= "${name}"`))
  const all = stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, '|'))
  assert.deepEqual(all.slice(0, 4), [
    'line|rule|action|stopped|allowed|conditions',
    `${lines.length}|shut|block, locked|1|0|match: a.example, b.example, c.example, 1 more`,
    `${lineOf('bank')}|bank|allow|0|0|match: .bank.example`,
    `${lineOf('adults')}|adults|block|0|0|lists: adult`,
  ])
  assert.equal(all[4], `${lineOf('news')}|news|warn|1|1|match: news.example`)
  assert.match(
    String(all[6]),
    /^\d+\|"><script>\\u\{202e\}\\u\{2066\}rm -rf\|warn\|1\|0\|users: .*; match: evil\.example$/,
  )
  assert.equal(all[8], '-|default|allow|-|-|-')
  assert.equal(stderr, 'Counted since 2027-01-15 09:00; the engine’s time zone: Europe/Zurich.\n')
  const json = JSON.parse((await engine.run(['rules', '--json'])).stdout)
  assert.deepEqual([json.rules.length, json.rules[0].locked, json.rules[0].hits], [8, true, { stopped: 1, allowed: 0 }])
})

test('what is not a host, a duration or a name opens nothing', async (t) => {
  const engine = await startAdministered(t)
  for (const args of [
    ['adult.example', '--for', '2h'],
    ['adult.example', '--by', 'x'],
    ['adult.example', '--for', '32d', '--by', 'x'],
    ['adult.example', '--for', '2', '--by', 'x'],
    ['https://adult.example/', '--for', '2h', '--by', 'x'],
  ]) {
    const { status, stdout } = await engine.run(['allow', ...args])
    assert.deepEqual([status, stdout], [2, ''], args.join(' '))
  }
  assert.deepEqual(await engine.state.permissions(), [])
})

test('why --page: the address of the page, which the portal’s token opens, and status 1 without one', async (t) => {
  const engine = await startAdministered(t)
  const stopped = await engine.run(['why', '--page', 'https://www.adult.example/x'])
  assert.deepEqual([stopped.status, stopped.stderr], [0, ''])
  assert.match(stopped.stdout, /^https?:\/\/[^/]+\/blocked\?p=[\w.-]+&v=1&ts=\d+\n$/)
  const json = await engine.run(['why', '--page', 'https://news.example/', '--client', CLIENT, '--json'])
  const { verdict, redirect } = JSON.parse(json.stdout)
  assert.deepEqual([verdict, typeof redirect], ['warn', 'string'])
  const allowed = await engine.run(['why', '--page', 'https://fine.example/'])
  assert.deepEqual([allowed.status, allowed.stdout], [1, ''])
  assert.match(allowed.stderr, /^error: the engine allows https:\/\/fine\.example\/: there is no page\n$/)
})
