// `engine why` against a running engine.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RULES } from '../../engine/control-api/administration/policy.ts'
import { HOSTILE_RULE, HOSTILE_USER } from '../../support/hostile.ts'
import { rule } from '../../support/rules.ts'
import { startAdministered } from './against-engine.ts'

const lineOf = (name: string) => RULES.split('\n').findIndex((text) => text.includes(`"${name}"`))

test('a blocked URL: the client, the rule, the list’s entry, and lines that open it', async (t) => {
  const engine = await startAdministered(t)
  const { status, stdout, stderr } = await engine.run([
    ...['why', 'https://www.adult.example/x', '--client', '198.51.100.7', '--user', 'Anna'],
  ])
  assert.equal(status, 0, stderr)
  const line = lineOf('adults')
  assert.equal(
    stdout,
    `\
https://www.adult.example/x is blocked.

client    198.51.100.7
user      anna
method    GET
time      2027-01-15 09:00:00
because   the rule adults (line ${line}), by the entry adult.example of the list adult
ruled     by the rule adults (line ${line}), by the entry adult.example of the list adult
tried     1 rule about other hosts

To change this, above line ${line}, the rule "adults":

[[rules]]
name = "allow-www.adult.example"
match = [ "www.adult.example" ]
action = "allow"

Or, in line ${line}, the rule "adults":

except = { match = ["www.adult.example"] }
`,
  )
  assert.equal(stderr, 'To open it at once, for a time: gatewayctl engine allow www.adult.example --for 2h --by NAME\n')
  // The suggestion, as it stands.
  const suggestion = /gatewayctl engine (.*) NAME\n/.exec(stderr)?.[1]?.split(' ') ?? []
  assert.equal((await engine.run([...suggestion, 'NAME'])).status, 0)
  assert.equal((await engine.decide('https://www.adult.example/x')).json.verdict, 'allow')
})

test('an https URL that the proxy does not decrypt: by which entry', async (t) => {
  const toml = `${RULES}[inspection]\nexempt = [".adult.example"]\nexempt_clients = ["10.30.0.0/24"]\n`
  const engine = await startAdministered(t, toml)
  for (const [url, client, entry] of [
    ['https://www.adult.example/x', '10.31.0.7', '.adult.example is in [inspection] exempt'],
    ['https://games.example/', '10.30.0.7', '10.30.0.0/24 is in [inspection] exempt_clients'],
    ['https://updates.signal.org/', '10.31.0.7', '.signal.org is in [inspection] exempt_defaults'],
    ['http://www.adult.example/x', '10.31.0.7', undefined],
    ['https://signal.org.example/', '10.31.0.7', undefined],
  ] as const) {
    const { stdout } = await engine.run(['why', url, '--client', client])
    const [, shown] = /^exempt {4}from inspection \((.*)\): over https the proxy sees no path /m.exec(stdout) ?? []
    assert.equal(shown, entry)
  }
  const { stdout } = await engine.run(['why', 'https://adult.example/', '--json'])
  assert.deepEqual(JSON.parse(stdout).exempt, { by: 'exempt', entry: '.adult.example' })
})

test('an allowed URL: which rule about the host does not match, and why', async (t) => {
  const engine = await startAdministered(t)
  const { stdout, stderr } = await engine.run(['why', 'https://games.example/', '--at', '2026-11-20T20:00Z'])
  assert.match(stdout, /^https:\/\/games\.example\/ is allowed\.\n\nclient {4}-\n/)
  assert.match(stdout, /\nbecause {3}no rule matches, and the default decides\n/)
  assert.match(stdout, new RegExp(`\ntried {5}games \\(line ${lineOf('games')}\\): when: .*; it is fri 21:00 there\n`))
  assert.match(stdout, /\n {10}5 rules about other hosts\n/)
  assert.equal(stderr, 'Without --client or --room: rules that name clients or rooms do not match.\n')
})

test('--at without a zone is in that of GATEWAY_TIMEZONE, in which the time is shown', async (t) => {
  const engine = await startAdministered(t)
  for (const [at, shown, verdict] of [
    ['2026-11-20T15:30', '2026-11-20 15:30:00', 'blocked'],
    ['2026-11-20T15:30Z', '2026-11-20 16:30:00', 'allowed'],
    ['2026-11-20', '2026-11-20 00:00:00', 'allowed'],
  ] as const) {
    const { stdout } = await engine.run(['why', 'https://games.example/', '--at', at])
    assert.ok(stdout.startsWith(`https://games.example/ is ${verdict}.\n`), stdout)
    assert.ok(stdout.includes(`\ntime      ${shown}\n`), stdout)
  }
})

test('what makes the host ruled, so that the proxy asks about each request for it', async (t) => {
  const engine = await startAdministered(t)
  const withRule = (key: string) => `${RULES}${rule('last', 'block', key)}`
  for (const [rules, url, ruled] of [
    [RULES, 'https://weather.example/', /^no: no rule could stop a request for this host, so the proxy need not ask$/],
    [withRule('users = ["anna"]'), 'https://weather.example/', /^by the rule last \(line \d+\), like every host$/],
    [withRule('match = ["*"]'), 'https://weather.example/', /^by the rule last \(line \d+\), by its pattern \*$/],
    [withRule('match = ["10.0.0.0/8"]'), 'http://192.0.2.1/', /, which names a network, like every address$/],
    [`default = "block"\n${RULES}`, 'https://weather.example/', /^by default = "block", like every host$/],
  ] as const) {
    await engine.write(rules)
    assert.deepEqual((await engine.policies.reload()).problems, [])
    assert.match(/^ruled +(.*)$/m.exec((await engine.run(['why', url])).stdout)?.[1] ?? '', ruled)
  }
  const audited = await startAdministered(t, `${RULES}[audit]\nallowed = true\n`)
  assert.match((await audited.run(['why', 'http://a.example/'])).stdout, /\nruled {5}by \[audit\] allowed = true, like/)
})

test('a locked rule, and a permission that is not for this visitor', async (t) => {
  const locked = rule('shut', 'block', 'match = ["shut.example"]', 'locked = true')
  const engine = await startAdministered(t, `${RULES}${locked}[groups]\nstaff = { users = ["anna"] }\n`)
  const why = (...args: string[]) => engine.run(['why', ...args, '--client', '198.51.100.7'])
  for (const host of ['shut.example', 'adult.example']) {
    assert.equal((await engine.run(['allow', host, '--for', '2h', '--by', 'Mr X', '--group', 'staff'])).status, 0)
  }
  const shut = await why('https://shut.example/', '--user', 'anna')
  assert.match(
    shut.stdout,
    /\nbecause {3}the rule shut \(line \d+\), by its pattern shut\.example; it is locked: nothing opens it\n/,
  )
  assert.match(
    shut.stdout,
    /\nopened {4}shut\.example until 2027-01-15 11:00, for the group staff; not for this request: the rule "shut" is locked: nothing opens it\n/,
  )
  assert.doesNotMatch(shut.stdout, /name = "allow-/)
  assert.match(shut.stdout, /To change this, in line \d+, the rule "shut":\n\nexcept = /)
  assert.equal(shut.stderr, 'No permission opens it, because the rule is locked.\n')

  const stranger = await why('https://adult.example/', '--user', 'cora')
  assert.match(stranger.stdout, /; not for this request: group: the user is "cora", not in "staff"\n/)
  assert.match(
    stranger.stderr,
    /^To open it at once, for a time: gatewayctl engine allow adult\.example --for 2h --by NAME\n$/,
  )
  const member = await why('https://adult.example/', '--user', 'anna')
  assert.match(member.stdout, /\nbecause {3}Mr X opened adult\.example until 2027-01-15 11:00, for the group staff\n/)
  assert.match(member.stderr, /To close it earlier: gatewayctl engine permissions end adult\.example --group staff\n$/)
})

test('a rule with a switch that is on: a permission has to name it', async (t) => {
  const engine = await startAdministered(t, `${RULES}${rule('exam', 'block', 'match = ["*"]', 'switch = "exam"')}`)
  await engine.run(['switch', 'on', 'exam', '--client', '198.51.100.0/24', '--for', '3h', '--by', 'Mr X'])
  const why = () => engine.run(['why', 'https://adult.example/', '--client', '198.51.100.7'])
  await engine.run(['allow', 'adult.example', '--for', '2h', '--by', 'Mr X'])
  const closed = await why()
  assert.match(closed.stdout, /\nbecause {3}the rule adults /)
  assert.match(
    closed.stdout,
    /; not for this request: the rule "exam" stops it, and its switch "exam" is on: only a permission despite "exam" opens it\n/,
  )
  const [, suggestion = ''] = /gatewayctl engine (.*) NAME\n/.exec(closed.stderr) ?? []
  assert.equal(suggestion, 'allow adult.example --for 2h --despite exam --by')
  const { stdout, stderr } = await engine.run([...suggestion.split(' '), 'Ms Y'])
  assert.equal(stdout, 'adult.example is open until 2027-01-15 11:00 for everyone, despite exam, by Ms Y.\n', stderr)
  assert.match((await why()).stdout, /\nbecause {3}Ms Y opened adult\.example until .*, for everyone, despite exam\n/)
  assert.equal((await engine.decide('https://adult.example/')).json.verdict, 'allow')
  assert.match((await engine.run(['rules'])).stdout, / exam +block .* switch: exam; match: \*\n/)
})

test('by reference, before and after the policy has changed', async (t) => {
  const engine = await startAdministered(t)
  const { reference } = (await engine.decide('https://adult.example/', '198.51.100.7')).json
  const ask = () => engine.run(['why', '--reference', String(reference)])
  const before = await ask()
  assert.match(before.stdout, /^https:\/\/adult\.example\/ was blocked\.\n\nclient {4}198\.51\.100\.7\n/)
  assert.doesNotMatch(before.stdout, /\nthen /)
  await engine.write('other.example\nthird.example\n', 'adult.txt')
  await engine.policies.reload()
  const after = await ask()
  assert.match(after.stdout, /^https:\/\/adult\.example\/ would now be allowed\.\n/)
  assert.match(after.stdout, /\nthen {6}block by the rule adults, by the entry adult\.example of the list adult\n/)

  // A reference may begin like an option.
  const unknown = await engine.run(['why', '--reference', '-hJN9GcCn_ldSx17RxjAv2'])
  assert.equal(unknown.status, 1)
  assert.match(unknown.stderr, /^error: the engine: No request with this reference/)
})

test('a refused URL: as it was sent, for which rule and why', async (t) => {
  const shorts = rule('shorts', 'block', 'match = ["video.example/shorts"]')
  const engine = await startAdministered(t, RULES.replace('[[rules]]', `${shorts}[[rules]]`))
  const url = 'https://video.example/shorts/ID/../..'
  const { status, stdout, stderr } = await engine.run(['why', url, '--client', '198.51.100.7'])
  assert.deepEqual([status, stderr], [0, ''])
  assert.match(stdout, /^https:\/\/video\.example\/shorts\/ID\/\.\.\/\.\. is refused with HTTP 400\.\n/)
  assert.match(
    stdout,
    /\nbecause {3}its path has a dot segment or a backslash, .*, and the rule shorts \(line \d+\) names a/,
  )
  const decided = await engine.run(['why', '--page', url])
  assert.deepEqual([decided.status, decided.stdout], [2, ''])
  assert.match(decided.stderr, /^error: the engine: The path of "url" has a dot segment or a backslash/)
})

test('a permission and a session are named, with what would stop the request otherwise', async (t) => {
  const engine = await startAdministered(t)
  await engine.run(['allow', 'adult.example', '--for', '2h', '--by', 'Ms Rossi'])
  const permitted = await engine.run(['why', 'https://adult.example/', '--client', '198.51.100.7'])
  assert.match(permitted.stdout, /^https:\/\/adult\.example\/ is allowed\.\n/)
  assert.match(permitted.stdout, /\nbecause {3}Ms Rossi opened adult\.example until 2027-01-15 11:00, for everyone\n/)
  assert.match(permitted.stdout, /\notherwise stopped by the rule adults/)
  assert.match(
    permitted.stderr,
    /^It is open until 2027-01-15 11:00\. To close it earlier: gatewayctl engine permissions end adult\.example --everyone\n$/,
  )

  await engine.acknowledge(await engine.verdict('https://evil.example/', '198.51.100.7', HOSTILE_USER))
  const session = await engine.run(['why', 'https://evil.example/', '--client', '198.51.100.9', '--user', HOSTILE_USER])
  assert.match(session.stdout, /\nbecause {3}the visitor has a session\n/)
  assert.doesNotMatch((session.stdout + session.stderr).replaceAll('\n', ''), /\p{C}/u)
  assert.match(session.stderr, /gatewayctl engine sessions end --user 'o'\\''brien \\u\{e000\}<b>'\n$/)
})

test('JSON has the same, unchanged; misuse, and what the engine rejects, exit with 2', async (t) => {
  const engine = await startAdministered(t)
  const json = await engine.run(['why', 'https://evil.example/', '--user', HOSTILE_USER, '--json'])
  const { verdict, because, rule: found, request } = JSON.parse(json.stdout)
  assert.deepEqual([verdict, because, found.name, request.user], ['warn', 'rule', HOSTILE_RULE, HOSTILE_USER])
  assert.doesNotMatch(json.stdout.replaceAll('\n', ''), /\p{C}/u)
  for (const args of [
    [],
    ['https://x.example/', '--reference', 'x'],
    ['--reference', 'x', '--user', 'anna'],
    ['https://x.example/', '--at', 'yesterday'],
    ['ftp://x.example/'],
    ['https://x.example/', '--user', 'a\nb'],
  ]) {
    const { status, stdout, stderr } = await engine.run(['why', ...args])
    assert.deepEqual([status, stdout], [2, ''], args.join(' '))
    assert.match(stderr, /^error: /)
  }
})

test('--room: for an address in it; unknown rooms and both are refused', async (t) => {
  const toml = `${RULES}${rule('room', 'block', 'rooms = ["room 12"]')}[rooms]\n"room 12" = ["192.168.12.0/24"]\n`
  const engine = await startAdministered(t, toml)
  const { stdout, stderr } = await engine.run(['why', 'https://x.example/', '--room', 'room 12'])
  assert.match(stdout, /^https:\/\/x\.example\/ is blocked\.\n\nclient {4}192\.168\.12\.1\n/)
  assert.doesNotMatch(stderr, /Without --client/)
  const page = await engine.run(['why', 'https://x.example/', '--room', 'room 12', '--page'])
  assert.match(page.stdout, /^https:\/\/portal\.example\/blocked\?/)
  for (const [args, expected] of [
    [['--room', 'room 13'], /"room" must be a room of \[rooms\] in the policy/],
    [['--room', 'room 12', '--client', '192.168.12.9'], /cannot be used with/],
  ] as const) {
    const refused = await engine.run(['why', 'https://x.example/', ...args])
    assert.equal(refused.status, 2)
    assert.match(refused.stderr, expected)
  }
  const ended = await engine.run(['sessions', 'end', '--room', 'room 12'])
  assert.deepEqual([ended.status, ended.stdout], [0, '0 sessions ended.\n'])
})
