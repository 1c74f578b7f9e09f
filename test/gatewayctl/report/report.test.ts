// `gatewayctl report` with an engine: the same numbers as a table, as JSON, as CSV and as a page.
import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Report } from '../../../src/contract/report.ts'
import { reportCsv } from '../../../src/gatewayctl/report/csv.ts'
import { reportText } from '../../../src/gatewayctl/report/text.ts'
import { API_TOKEN, policy, type RunningEngine, startEngine } from '../../engine/running-engine.ts'
import { type Cleanup, inReverse } from '../../support/cleanup.ts'
import { HOSTILE_USER } from '../../support/hostile.ts'
import { rule } from '../../support/rules.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { createContext, gatewayctl } from '../gatewayctl.ts'
import { fullReport, withPeople } from './sample.ts'

const RULES = policy(`
${rule('games', 'block', 'lists = ["games"]', 'category = "games"')}
${rule('=cmd()|"x"', 'block', 'match = ["formula.example"]')}
${rule('social', 'warn', 'match = ["social.example"]', 'category = "social networks"')}
[[lists]]
name = "games"
path = "games.txt"
`)

const cleanup = inReverse({ after })
let run: ReturnType<typeof ctl>
before(async () => {
  run = await visited(cleanup)
})

test('the totals as a table', async () => {
  const { status, stdout, stderr } = await run([])
  assert.equal(status, 0, stderr)
  assert.match(stdout, /^From 2027-01-08 00:00 to 2027-01-15 \d\d:00; time zone: Europe\/Zurich\n/)
  assert.match(stdout, /\n5 +stopped requests: 4 blocked, 1 warned, 0 policy\n/)
  assert.match(stdout, /\n1 +acknowledgements\n/)
  assert.match(stdout, /\nCategories\nrequests {2}category\n3 +games\n/)
  assert.match(stdout, /\n3 +games +games\n1 +/)
  assert.match(stdout, /past\npermissions +continued +stopped +rule +list\n1 +0 +3 +games +games\n0 +1 +1 +social +-\n/)
  assert.match(stdout, /names\nonly_here +of +list +hosts\n3 +3 +games +play\.example, more\.example\n/)
  assert.doesNotMatch(stdout, /Users|brien/)
})

test('a time without a zone is in the operator’s, as everywhere', async () => {
  const { stdout } = await run(['--since', '2027-01-15T07:00'], { env: { GATEWAY_TIMEZONE: 'Europe/Zurich' } })
  assert.match(stdout, /^From 2027-01-15 07:00 to .*\n\nThe busiest hour began at 2027-01-15 09:00: 5 stopped\.\n/s)
})

test('people only with --people, and printable', async () => {
  const { stdout } = await run(['--people'])
  assert.match(stdout, /\nUsers\nrequests {2}user\n/)
  assert.match(stdout, /o'brien/)
  assert.doesNotMatch(stdout, /\p{Co}/u)
  assert.match(stdout, /\nClients\nrequests {2}client\n5 +198\.51\.100\.7\n/)
})

test('JSON is what the engine returns, and --top bounds it', async () => {
  const report = JSON.parse((await run(['--json', '--top', '1'])).stdout) as Report
  assert.equal(report.rules.top.length, 1)
  assert.deepEqual(report.rules.others, { entries: 2, requests: 2 })
  assert.deepEqual(report.requests, { block: 4, warn: 1, aup: 0, allow: report.requests.allow })
  assert.equal(report.people, null)
})

test('the page: in the language, with the colours and the name of the folder’s .env, for its owner alone', async (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, '.env'), 'GATEWAY_ORG_NAME=Kantonsschule\nGATEWAY_CAPTIVE_BRAND_PALETTE=amber\n')
  const file = join(folder, 'report.html')
  const { status, stdout, stderr } = await run(['--html', file, '--lang', 'de'], { env: { GATEWAY_HOME: folder } })
  assert.deepEqual([status, stdout, stderr], [0, '', ''])
  const page = readFileSync(file, 'utf8')
  assert.match(page, /<html lang="de">/)
  assert.match(page, /<bdi>Kantonsschule<\/bdi>/)
  assert.match(page, /--plate:#ffb938/)
  assert.match(page, /play\.example/)
  assert.equal(statSync(file).mode & 0o777, 0o600)
})

test('CSV: a line for each number, and no cell that a spreadsheet would run', async () => {
  const { stdout } = await run(['--csv'])
  const lines = stdout.split('\r\n')
  assert.equal(lines[0], 'figure,date,weekday,hour,verdict,rule,category,list,host,name,value')
  assert.ok(lines.includes('requests,,,,block,,,,,,4'))
  assert.ok(lines.includes('host,,,,,games,,games,play.example,,2'))
  assert.ok(lines.includes(`rule,,,,,"'=cmd()|""x""",,,,,1`))
  assert.ok(lines.every((line) => !/(^|,)"?[=+@-]/.test(line)))
})

test('CSV has every number of a report', () => {
  const csv = reportCsv(withPeople(fullReport()))
  for (const figure of ['day', 'week', 'category', 'list', 'permissions by cause', 'only in list', 'user', 'group']) {
    assert.match(csv, new RegExp(`^${figure},`, 'm'), figure)
  }
  assert.match(csv, /^other of rule,,,,,,,,,480 others,312\r$/m)
})

test('text and CSV: what the journal no longer has, and what it never had, is on stderr', async (t) => {
  const forgotten = 'The journal keeps 14 days. What happened earlier is missing here and counts as 0.\n'
  for (const format of [[], ['--csv']]) {
    assert.equal((await run(['--since', '4w', ...format])).stderr, forgotten)
    // Its first day has lost some hours.
    assert.equal((await run(['--since', '14d', ...format])).stderr, '')
  }
  // The document has the period and what is kept.
  const { stderr, stdout } = await run(['--since', '4w', '--json'])
  assert.deepEqual([stderr, JSON.parse(stdout).journal.days], ['', 14])
  const hostless = await visited(inReverse(t), 'hosts = false')
  for (const format of [[], ['--csv']]) {
    const { stderr } = await hostless(format)
    assert.match(stderr, /^The journal keeps no hosts \(\[journal\] hosts = false\), .*\n$/)
    assert.equal((await hostless(['--since', '4w', ...format])).stderr, `${forgotten}${stderr}`)
  }
})

test('without hosts, what stopped the hosts of permissions is not known, instead of none', async (t) => {
  const hostless = await visited(inReverse(t), 'hosts = false')
  const text = (await hostless([])).stdout
  assert.match(text, /\nPermissions\ngranted +stopped +host\n1 +- +play\.example\n/)
  assert.match(text, /past\npermissions +continued +stopped +rule +list\n1 +0 +- +- +-\n0 +1 +1 +social +-\n/)
  const csv = (await hostless(['--csv'])).stdout.split('\r\n')
  assert.ok(csv.includes('stopped of permitted host,,,,,,,,play.example,,'))
  assert.ok(csv.includes('stopped by cause,,,,,,,,,,'))
})

test('that not all acknowledgements and permissions are in over-blocking', async () => {
  const { context } = createContext({})
  const report = fullReport()
  const cut = { ...report, over_blocking: { ...report.over_blocking, cut: true } }
  const remark = 'Counted here are only the newest 100,000 acknowledgements and the 500 hosts with most permissions.'
  assert.ok(
    reportText(context, cut).includes(`\n1            0          0        -       -\n${remark}\n\nLists to doubt`),
  )
  assert.ok(!reportText(context, report).includes('Counted here'))
})

test('what it does not accept', async () => {
  const refused = async (args: readonly string[], message: RegExp) => {
    const { status, stderr } = await run(args)
    assert.equal(status, 2, stderr)
    assert.match(stderr, message)
  }
  await refused(['--since', 'yesterday'], /It must be a date/)
  await refused(['--since', '2026-11-20T08:61'], /It must be a date/)
  await refused(['--top', '0'], /from 1 to 500/)
  await refused(['--lang', 'es'], /Allowed choices are en, fr, de, it/)
  await refused(['--csv', '--json'], /cannot be used with/)
  await refused(['--since', '2026-11-20', '--until', '2026-11-20'], /"until" must be after "since"/)
  await refused(['--since', '2025-01-01'], /at most 366 days/)
})

test('an engine without a journal', async (t) => {
  const engine = await startEngine(t, RULES, { files: { 'games.txt': 'play.example\n' } })
  const { status, stderr } = await ctl(engine, temporaryFolder(t))([])
  assert.equal(status, 1)
  assert.match(stderr, /the engine: The engine keeps no journal: \[journal\] days is 0\./)
})

/** An engine that has stopped five requests. */
async function visited(t: Cleanup, keys = '') {
  const folder = temporaryFolder(t)
  const [location, journal] = ['state', 'journal'].map((name) => {
    return { dialect: 'sqlite', path: join(folder, `${name}.db`) } as const
  })
  const engine = await startEngine(t, `${RULES}\n[journal]\n${keys}\n`, {
    files: { 'games.txt': 'play.example\nmore.example\n' },
    ...(location && { location }),
    ...(journal && { journal }),
  })
  const urls = ['play.example', 'play.example', 'more.example', 'formula.example', 'open.example']
  for (const host of urls) await engine.decide(`https://${host}/secret-path`, undefined, HOSTILE_USER)
  const query = await engine.verdict('https://social.example/', undefined, HOSTILE_USER)
  assert.equal((await engine.acknowledge(query)).status, 302)
  await engine.administer('permissions/allow', { host: 'play.example', minutes: 5, by: 'Ms Rossi' })
  await engine.journal?.flush()
  return ctl(engine, folder)
}

function ctl(engine: RunningEngine, folder: string) {
  const tokenFile = join(folder, 'token')
  writeFileSync(tokenFile, `${API_TOKEN}\n`)
  const options = [
    ...['--engine', `https://127.0.0.1:${engine.port}`, '--token-file', tokenFile],
    ...['--ca-file', join(engine.folder, 'ca', 'ca.crt')],
  ]
  return (args: readonly string[], surroundings?: Parameters<typeof gatewayctl>[1]) =>
    gatewayctl(['report', ...args, ...options], surroundings)
}
