// What a start puts in force: the policy's file, or the copy of the one accepted last. test/regressions and checks/programs
// have the process.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openPolicyStore } from '../../../src/engine/policy/reload/policy-store.ts'
import type { CommandLine } from '../../../src/engine/settings/command-line.ts'
import { chooseStart, type Start } from '../../../src/engine/settings/start.ts'
import { SECRET } from '../../support/payloads.ts'
import { rule } from '../../support/rules.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { recordLog } from '../recorded-log.ts'
import { NO_OPTIONS, policyOf } from '../running-engine.ts'

const rules = (names: readonly string[]) => names.map((name) => rule(name, 'block')).join('')
const ACCEPTED = `default = "block"
[gateway]
internal = ["10.0.0.0/8", "fd00::/8"]
${rules(['one', 'two', 'three'])}`

/** @param accepted the copy; undefined where there is none */
function deploy(t: TestContext, accepted: string | undefined) {
  const folder = temporaryFolder(t)
  const path = (name: string) => join(folder, name)
  mkdirSync(path('published/engine'), { recursive: true })
  writeFileSync(path('secret'), SECRET)
  const copy = path('published/engine/accepted-policy.toml')
  if (accepted !== undefined) writeFileSync(copy, accepted)
  const options: CommandLine = {
    ...NO_OPTIONS,
    ...{ config: path('policy.toml'), publish: path('published') },
    ...{ env: { GATEWAY_CAPTIVE_BASE_URL: 'https://portal.example' } },
    ...{ secretFile: path('secret'), apiTokenFile: path('secret') },
  }
  return {
    ...{ path, copy, options },
    /** Writes the file, and returns what a start does with it. */
    startWith(content: string, more: Partial<CommandLine> = {}) {
      writeFileSync(options.config, content)
      return chooseStart({ ...options, ...more })
    },
  }
}

/** The policy that starts, and why that is not the file, without paths. */
function outcome({ chosen, problems }: Start): readonly unknown[] {
  const names = chosen?.settings
    .buildPolicy([])
    .rules.map(({ name }) => name)
    .join(' ')
  return [names, ...problems.map((problem) => problem.replace(/^\S+ |\. To accept.*| it may be cut; .*/g, ''))]
}

test('a file that a reload would put in force starts', (t) => {
  const { startWith, path } = deploy(t, ACCEPTED)
  for (const content of [ACCEPTED, `${ACCEPTED}${rules(['four'])}`, ACCEPTED.replace('"two"', '"second"')]) {
    const start = startWith(content)
    assert.deepEqual(start.problems, [])
    assert.equal(start.chosen?.reading.path, path('policy.toml'))
    assert.equal(`${start.chosen?.reading.content}`, content)
  }
})

test('instead of any other file the copy starts, with the reason', (t) => {
  const { startWith, copy, options } = deploy(t, ACCEPTED)
  const reasonFor = (content: string) => {
    const [names, ...reasons] = outcome(startWith(content))
    assert.equal(names, 'one two three')
    return reasons.join('; ')
  }
  assert.equal(reasonFor(''), 'must not be empty; it has no bytes')
  assert.equal(reasonFor(ACCEPTED.trimEnd()), 'must end in a line feed:')
  assert.match(reasonFor('default = block\n'), /^must be TOML; line 1/)
  assert.match(reasonFor(ACCEPTED.replace('"block"\n[gateway', '"deny"\n[gateway')), /must be "allow" or "block"/)
  assert.match(reasonFor(`${ACCEPTED}[groups]\nstaff = { file = "missing" }\n`), /must name a text file .*ENOENT/)
  assert.match(reasonFor(ACCEPTED.replace(/\[\[rules[\s\S]*/, '')), /^must not lose half of its rules; it has 0, .* 3$/)
  assert.equal(
    reasonFor(ACCEPTED.replace('default = "block"', '')),
    'must not lose default = "block"; it is now "allow"',
  )
  assert.match(
    reasonFor(ACCEPTED.replace(/internal.*/, '')),
    /^must not lose half of gateway\.internal; it has 0, .* 2$/,
  )
  rmSync(options.config)
  const start = chooseStart(options)
  assert.deepEqual(outcome(start), ['one two three', 'must be a file that can be read; the system reports ENOENT'])
  assert.equal(start.chosen?.reading.path, copy)
})

test('without a copy, a file starts as it always did, if it is not empty or cut', (t) => {
  const { startWith } = deploy(t, undefined)
  assert.deepEqual(outcome(startWith('session_minutes = 7\n')), [''])
  assert.deepEqual(outcome(startWith('')), [undefined, 'must not be empty; it has no bytes'])
  assert.deepEqual(outcome(startWith(ACCEPTED.trimEnd())), [undefined, 'must end in a line feed:'])
  assert.deepEqual(startWith('').copyProblems, [])
})

test('the copy is found by the folder of the option, or of the file, and by nothing that a cut file has lost', (t) => {
  const { startWith, path } = deploy(t, ACCEPTED)
  const elsewhere = `[state]\nkey_file = "${path('state.key')}"\n`
  assert.deepEqual(outcome(startWith(ACCEPTED + elsewhere)), ['one two three'])
  assert.equal(outcome(startWith('session_minutes = 7\n')).length, 4)
  assert.equal(outcome(startWith(`session_minutes = 7\n${elsewhere}`)).length, 4)
  const own = `[certificates]\nfolder = "${path('published')}"\norganisation = 7\n`
  assert.equal(outcome(startWith(own, { publish: undefined })).length, 5)

  const unknown = startWith('', { publish: undefined })
  assert.deepEqual(outcome(unknown), [undefined, 'must not be empty; it has no bytes'])
  assert.match(`${unknown.copyProblems}`, /^--publish must be set for a start with the policy accepted last/)
  const missing = startWith('session_minutes = 7\n', { publish: undefined })
  assert.match(`${missing.problems}`, /certificates\.folder must be set, here or with --publish/)
  assert.equal(missing.chosen, undefined)
  assert.equal(startWith('', { publish: '' }).chosen, undefined)
})

test('a copy that cannot be used: a good file starts, and the copy is reported; another one does not', (t) => {
  for (const [content, problem] of [
    ['', /accepted-policy\.toml must not be empty; .*; it is the copy of the policy accepted last: .* not compared/],
    [ACCEPTED.slice(0, 60), /accepted-policy\.toml must end in a line feed/],
    ['nonsense\n', /accepted-policy\.toml must be TOML/],
    [undefined, /accepted-policy\.toml must be a file that can be read; it is not a regular file/],
  ] as const) {
    const { startWith, copy } = deploy(t, content)
    if (content === undefined) mkdirSync(copy)
    const good = startWith(rules(['one']))
    assert.deepEqual(outcome(good), ['one'])
    assert.equal(good.warnings.length, 1)
    assert.match(`${good.warnings}`, problem)
    const bad = startWith('')
    assert.equal(bad.chosen, undefined)
    assert.match(`${bad.copyProblems}`, /accepted-policy\.toml must /)
  }
  // Where only what it names is missing, the file is still compared with it.
  const { startWith } = deploy(t, `${ACCEPTED}[groups]\nstaff = { file = "removed" }\n`)
  assert.deepEqual([outcome(startWith(ACCEPTED)), startWith(ACCEPTED).warnings], [['one two three'], []])
  assert.deepEqual(startWith(rules(['one'])).chosen, undefined)
})

test('files that the copy names are next to the policy, and problems name the copy with its line', (t) => {
  const more = '[audit]\nhosts = true\n'
  const { startWith, path, copy } = deploy(t, `${ACCEPTED}${more}[groups]\nstaff = { file = "staff.txt" }\n`)
  writeFileSync(path('staff.txt'), 'smith\n')
  const { settings } = startWith('').chosen ?? {}
  assert.equal(settings?.audit.hosts, true, 'what a reload cannot change comes from the copy, too')
  assert.equal(settings?.buildPolicy([]).groups[0]?.file?.path, path('staff.txt'))
  writeFileSync(path('staff.txt'), '')
  assert.match(`${startWith('').copyProblems}`, new RegExp(`^${copy}:19: groups\\.staff\\.file must name a file with`))
})

test('a reader has its own copy; next to that of an issuer, neither starts instead of the file', (t) => {
  const { startWith, path } = deploy(t, undefined)
  const reader = `[certificates]\nrole = "reader"\n[state]\nurl = "sqlite://"\nkey_file = "${path('key')}"\n`
  const ofReader = path('published/engine/accepted-reader-policy.toml')
  writeFileSync(ofReader, ACCEPTED + reader)
  // The role is not in an empty or cut file.
  for (const content of ['', '# cut\n', rules(['one'])]) {
    const { chosen } = startWith(content)
    assert.equal(chosen?.settings.certificates.role, 'reader')
    assert.equal(chosen.reading.path, ofReader)
  }
  const ofIssuer = path('published/engine/accepted-policy.toml')
  writeFileSync(ofIssuer, rules(['one']))
  assert.deepEqual(outcome(startWith(rules(['one']))), ['one'])
  assert.equal(startWith(rules(['one']) + reader).problems.length, 3)
  for (const content of ['', rules(['one']) + reader]) {
    const { chosen, copyProblems } = startWith(content)
    assert.equal(chosen, undefined)
    assert.match(`${copyProblems}`, new RegExp(`^${ofIssuer} and ${ofReader} must not both exist for a start with`))
  }
})

test('a store that starts with the copy reports it until the file comes into force', async (t) => {
  const { options, copy } = deploy(t, ACCEPTED)
  writeFileSync(options.config, rules(['one']))
  const { log, lines } = recordLog()
  const store = await openPolicyStore({ ...policyOf(options), log, clock: Date.now })
  t.after(() => store.close())
  assert.equal(store.current.rules.length, 3)
  assert.equal(store.last.result, 'kept')
  assert.equal(store.last.problems.length, 3)
  const msg = `policy kept: the engine starts with ${copy}, the policy accepted last`
  assert.deepEqual(lines[0], { level: 50, problems: store.last.problems, msg })
  assert.deepEqual((await store.reload()).problems, store.last.problems)
  assert.equal(readFileSync(copy, 'utf8'), ACCEPTED)
  assert.deepEqual((await store.reload(true)).problems, [])
  assert.equal(store.current.rules.length, 1)
})
