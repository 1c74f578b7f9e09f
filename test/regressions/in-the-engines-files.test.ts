// Stories of the engine's policy, of files that it names, and of its log; each suite is one.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { createRefusalLog } from '../../src/engine/monitoring/refusal-log.ts'
import { sections } from '../../src/engine/settings/file-shape.ts'
import { rule as ruleShape } from '../../src/engine/settings/rule-shape.ts'
import { readTomlFile } from '../../src/settings/toml-file.ts'
import { API_TOKEN, policy, startEngine } from '../engine/running-engine.ts'
import { replaceFile } from '../support/certificates.ts'
import { policyFolder } from '../support/policy-engine.ts'
import { rule } from '../support/rules.ts'
import { until } from '../support/until.ts'

// A list that was a link to a file that only the engine may read was quoted in the log and in the response to a reload: of the
// engine's private key, the first ten lines. A user who updates lists, without further rights, could make such a link. Since lists
// have had malformed lines with text. Now only their numbers are named.
test('a list showed a private key', { timeout: 60_000 }, async (t) => {
  const lists = '[[lists]]\nname = "games"\npath = "games.txt"\n'
  const { folder, start } = policyFolder(t, lists + rule('games', 'block', 'lists = ["games"]'))
  const list = join(folder, 'games.txt')
  // Control: one with a mistake always came into force, with the number of the line.
  writeFileSync(list, 'games.example\n<html>\nchess.example\n')
  const engine = await start()
  assert.equal(await engine.verdict('chess.example'), 'block')
  assert.match(JSON.stringify(engine.lines()), /games\.txt has 1 malformed line: line 2/)
  for (const file of ['published/engine/ca.key', 'published/engine/state.key', 'secret', 'policy.toml']) {
    rmSync(list)
    symlinkSync(join(folder, file), list)
    const { problems } = await engine.administer('reload', { accept_losses: true })
    assert.match(`${problems}`, /malformed lines?: line 1/)
    const shown = `${JSON.stringify(engine.lines())}${problems}`
    const lines = readFileSync(join(folder, file), 'utf8').split('\n')
    const secret = lines.filter((line) => line.length > 20 || line.startsWith('['))
    assert.ok(secret.length > 0)
    for (const line of secret) assert.ok(!shown.includes(line), `${file}: ${line}`)
  }
})

// A pipe in place of the policy file or of a group's file stopped all decisions at the next reload: the engine waited for somebody to
// write into it. A device was read until memory ended, and a file of 100 MB held decisions for a minute. Since 2026-11-23, when the
// engine began to reload a changed policy; found by an attack. Now only regular files of at most 16 MiB are read, and links to them.
describe('a pipe in place of the policy stopped all decisions', { timeout: 120_000 }, async () => {
  const POLICY = `[groups]\nstaff = { file = "staff.txt" }\n${rule('casino', 'block')}`
  const REPLACEMENTS: Readonly<Record<string, (path: string) => void>> = {
    'a pipe': (path) => void execFileSync('mkfifo', [path]),
    'a device without an end': (path) => symlinkSync('/dev/zero', path),
    'a folder': (path) => void execFileSync('mkdir', [path]),
    'a file of 20 MB': (path) => writeFileSync(path, '#\n'.repeat(10_000_000)),
  }
  const { folder, config, start } = policyFolder({ after }, POLICY)
  const files = [
    { path: config, content: POLICY },
    { path: join(folder, 'staff.txt'), content: 'anna\n' },
  ]
  // Control: a link to a regular file is followed.
  for (const { path, content } of files) {
    rmSync(path, { force: true })
    writeFileSync(`${path}.1`, content)
    symlinkSync(`${path}.1`, path)
  }
  const engine = await start()
  const reloads = () => engine.lines().filter(({ msg }) => /^policy (kept|loaded)$/.test(`${msg}`))
  for (const [what, replace] of Object.entries(REPLACEMENTS)) {
    for (const { path, content } of files) {
      test(`${what} in place of ${basename(path)}: the engine decides, by the policy of before`, async () => {
        const from = reloads().length
        rmSync(path)
        replace(path)
        const isKept = () =>
          /not a regular file|more than 16 MiB|EISDIR/.test(`${reloads().slice(from).at(-1)?.problems}`)
        await until(isKept)
        const before = performance.now()
        assert.equal(await engine.verdict('casino.example'), 'block')
        assert.ok(performance.now() - before < 1_000)
        rmSync(path, { recursive: true })
        replaceFile(path, content)
        await until(() => reloads().at(-1)?.msg === 'policy loaded')
      })
    }
  }
})

// Seen: of two engines with one folder, one got a faulty copy of the new policy, kept the old one, and published the proxy's
// settings of that over those of the other engine: a network just added to `internal` was reachable again. Every reload was
// followed by publishing, whatever its result, since 2026.48.0; and so was a start with the policy accepted last.
test('an engine that kept its policy published it', { timeout: 60_000 }, async (t) => {
  const policyWith = (network: string, more = '') => `[gateway]\ninternal = ["${network}"]\n${more}`
  const place = policyFolder(t, policyWith('10.1.0.0/16'))
  const published = () => readFileSync(join(place.folder, 'published/proxy/internal'), 'utf8')
  const engine = await place.start()
  const config = join(place.folder, 'second.toml')
  const state = `[state]\nurl = "sqlite:///${place.folder}/second.db"\nkey_file = "${place.folder}/second.key"\n`
  const reader = `${state}[certificates]\nrole = "reader"\n`
  writeFileSync(config, policyWith('10.1.0.0/16', reader))
  const second = await place.start('--config', config)

  writeFileSync(config, policyWith('10.2.0.0/16', reader))
  await second.administer('reload')
  await until(() => published() === '10.2.0.0/16\n')
  writeFileSync(place.config, policyWith('10.2.0.0/99'))
  assert.equal((await engine.administer('reload')).result, 'kept')
  await engine.stop()
  assert.equal(published(), '10.2.0.0/16\n')

  const restarted = await place.start()
  assert.ok(restarted.lines().some(({ msg }) => String(msg).startsWith('policy kept')))
  assert.equal(published(), '10.2.0.0/16\n')

  // The control: a policy that is loaded.
  writeFileSync(place.config, policyWith('10.3.0.0/16'))
  await restarted.administer('reload')
  await until(() => published() === '10.3.0.0/16\n')
})

// Seen: `--check` with a policy that has the key `"\u001b[31mx\n  policy.toml: no problems"` printed the escape sequence and the
// line break: a file from somebody else could colour, hide or add lines of what an operator reads. Values were escaped, keys
// were not. A rejected key of a table without fixed keys was reported as "must be Invalid key in record". Since the engine reads
// TOML.
describe('a key wrote on the terminal', () => {
  type Shape = Parameters<ReturnType<typeof readTomlFile>['parse']>[0]
  function problemOf(shape: Shape, place: readonly (string | number)[], text: string): string {
    const readFile = () => Buffer.from(text)
    const { parse, problems } = readTomlFile({ path: 'p.toml', readFile, options: [], secretKeys: [] })
    parse(shape, [...place])
    return problems().join('\n')
  }
  const ofOps = (line: string) => problemOf(sections.ops, ['ops'], `[ops]\n${line}\n`)
  const LISTENER = 'must not be set: the keys allowed here are listen'

  test('one with an escape sequence and a line break is escaped, and a long one truncated', () => {
    assert.equal(
      ofOps('"\\u001b[31mx\\n  p.toml: no problems\\u202e" = 1'),
      `p.toml:1: ops."\\u{1b}[31mx\\u{a}  p.toml: no problems\\u{202e}" ${LISTENER}; it is now a number`,
    )
    const long = `ops."${'k'.repeat(100)}…"`
    assert.equal(ofOps(`${'k'.repeat(1000)} = 1`), `p.toml:2: ${long} ${LISTENER}; it is now a number`)
  })
  test('one that breaks a rule of its table', () => {
    assert.equal(
      problemOf(sections.groups, ['groups'], '[groups]\n"\\u0007" = { users = ["x"] }\n'),
      'p.toml:1: groups."\\u{7}" must have another key: text of 1 to 128 bytes without control characters; it is now a table',
    )
    assert.equal(
      problemOf(ruleShape, ['rules', 0], `${rule('x', 'block')}descriptions = { deutsch = "y" }\n`),
      'p.toml:5: rules[1].descriptions.deutsch must have another key: a language tag such as "de" or "pt-BR"; it is now "y"',
    )
  })
  test('control: a value was always escaped', () => {
    assert.equal(
      ofOps('listen = "\\u001b[31mx\\n"'),
      'p.toml:2: ops.listen must be HOST:PORT, or empty; it is now "\\u{1b}[31mx\\u{a}"',
    )
  })
})

// Seen by reading: each control API call with a wrong token, or from an address outside [control] clients, was a line of the log.
// Anyone who reached the port filled the disk with them, at thousands a second. Since there is a log. ICAP's refusals were limited.
describe('refusals filled the engine’s log', () => {
  const lines = (text: string, message: string) => text.split(`"msg":"${message}"`).length - 1

  test('calls with a wrong token: one line for each path', async (t) => {
    const engine = await startEngine(t, policy(''))
    for (const path of ['/api/admin/status', '/api/decision']) {
      for (let count = 0; count < 20; count++) {
        assert.equal((await engine.ask('POST', path, { authorization: 'Bearer wrong' }, '{}')).status, 401)
      }
    }
    assert.equal(lines(engine.logText(), 'control API request rejected: token missing or wrong'), 2)
  })
  test('calls from another address: one line', async (t) => {
    const engine = await startEngine(t, policy('', '', `api_token = "${API_TOKEN}"\nclients = ["192.0.2.1"]`))
    for (let count = 0; count < 20; count++) assert.equal((await engine.ask('GET', `/${count}`)).status, 403)
    assert.equal(lines(engine.logText(), 'not in [control] clients'), 1)
  })
  test('control: another problem at once, and the same one after ten seconds', () => {
    let now = 0
    const logged: string[] = []
    const warn = ({ problem, at }: { problem: string; at: number }) => logged.push(`${problem} at ${at}`)
    const logRefusal = createRefusalLog({ warn } as never, () => now)
    for (const [at, problem] of [
      [0, 'a'],
      [9_999, 'a'],
      [9_999, 'b'],
      [10_000, 'a'],
    ] as const) {
      now = at
      logRefusal('refused', problem, { problem, at })
    }
    assert.deepEqual(logged, ['a at 0', 'b at 9999', 'a at 10000'])
  })
})
