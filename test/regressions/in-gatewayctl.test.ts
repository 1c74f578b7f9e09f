// Stories of commands of gatewayctl; each suite is one.
import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { EMPTY, writeState } from '../../src/gatewayctl/alarms/state.ts'
import type { Context } from '../../src/gatewayctl/context.ts'
import { run } from '../../src/gatewayctl/deployment/run-program.ts'
import { Failure } from '../../src/gatewayctl/failure.ts'
import { createFolder, renameOver, writeAtomically } from '../../src/gatewayctl/files/atomic-file.ts'
import { fileOutput } from '../../src/gatewayctl/files/output.ts'
import { mergeAcceptances } from '../../src/gatewayctl/portal/acceptances/ledger/merging.ts'
import type { AcceptanceWithAttempts } from '../../src/gatewayctl/portal/acceptances/ledger/reading.ts'
import { edit } from '../../src/gatewayctl/portal/aup/editor.ts'
import type { AttemptRecord } from '../../src/ledger/schema.ts'
import { startAdministered } from '../gatewayctl/engine/against-engine.ts'
import { gatewayctl, gatewayctlProcess, type Surroundings } from '../gatewayctl/gatewayctl.ts'
import { pendingAcceptance, SHOWN } from '../ledger/acceptance-record.ts'
import { acceptanceRequest, openReplica } from '../ledger/fixture.ts'
import { databases } from '../support/databases.ts'
import { emptyLedger, fill } from '../support/ledgers.ts'
import { skipUnless } from '../support/requirement.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const sqlite = databases.find(({ dialect }) => dialect === 'sqlite') ?? assert.fail()

// Seen: a help desk pasted a reference in the groups of four that the page shows, from a mail with non-breaking spaces: "No
// request with this reference is among the last 10,000". Without quotes: "too many arguments". Since references are looked up.
describe('a reference with spaces was not found', () => {
  const inGroups = (reference: string, space: string) => (reference.match(/.{1,4}/g) ?? []).join(space)
  // As the page, a mail, a word processor and a table cell have it; with an isolate of the page's <bdi>, and zero-width spaces.
  const SPACES = [' ', '\u00a0', '\u202f', '\n', '\t', '\u200b', '\u2068']

  test('the engine’s `why`, by HTTP and by gatewayctl; without quotes; and incomplete', async (t) => {
    const engine = await startAdministered(t)
    // None of the groups begins like an option.
    let reference = ''
    do reference = String((await engine.decide('https://adult.example/')).json.reference)
    while (inGroups(reference, ' ').includes(' -'))
    const words = inGroups(reference, ' ').split(' ')
    for (const space of SPACES) {
      const given = ` ${inGroups(reference, space)}${space}`
      const { status, json } = await engine.administer('why', { reference: given })
      assert.equal(status, 200, JSON.stringify(given))
      assert.equal((json.stopped as { readonly reference: string }).reference, reference)
      const { stdout, stderr } = await engine.run(['why', '--reference', given])
      assert.match(stdout, /^https:\/\/adult\.example\/ was blocked/, stderr)
    }
    assert.match((await engine.run(['why', '--reference', ...words])).stdout, /^https:\/\/adult\.example\/ was blocked/)
    const { status, stderr } = await engine.run(['why', '--reference', ...words.slice(-1)])
    assert.equal(status, 2)
    assert.match(
      stderr,
      /^error: --reference \S{2}: at least the first 8 of a reference's 22 letters, digits, "-" and "_"; this has 2 char/,
    )
  })

  test('control: one in one piece; and one in another case, as people dictate it', async (t) => {
    const engine = await startAdministered(t)
    const reference = String((await engine.decide('https://adult.example/')).json.reference)
    assert.equal((await engine.administer('why', { reference })).status, 200)
    const other = reference.replace(/[a-zA-Z]/, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    )
    for (const given of [other, other.slice(0, 8)]) {
      assert.equal((await engine.administer('why', { reference: given })).status, 200)
    }
  })

  test('the portal’s acceptances, also without quotes', async (t) => {
    const ledger = await emptyLedger(t, sqlite)
    const reference = '8JN9-hCn_ldSx17RxjAv2g'
    const replica = await openReplica(t, ledger)
    await replica.completeAttempt(await replica.beginAttempt(acceptanceRequest({ reference })), 302)
    for (const words of [...SPACES.map((space) => [inGroups(reference, space)]), inGroups(reference, ' ').split(' ')]) {
      const { stdout } = await gatewayctl(['portal', 'acceptances', 'show', ...words, '--json'], { ledger })
      assert.match(stdout, new RegExp(`"jti": "${reference}"`), words.join())
    }
  })
})

// Seen: VISUAL='vim --cmd="set nu"' ran vim with the arguments `--cmd=` and `"set`, `LC_ALL=C vim` looked for a program with that
// name, and `My\ Editor` for `My\`. gatewayctl split the variable itself. It is a command of the shell, as for Git, crontab and
// visudo. Since `portal aup edit` exists.
describe('an editor was split at every space', () => {
  /** Runs it with an editor, installed in three places, that writes down its arguments; the text has a hostile path. */
  function editors(folder: string) {
    const [text, seen] = [join(folder, 'the "text"; $(touch pwned) .md'), join(folder, 'seen')]
    for (const path of ['ed', 'My Editor', "it's"]) {
      writeFileSync(join(folder, path), `#!/bin/sh\nprintf '%s\\n' "$WITH" "$@" >'${seen}'\n`, { mode: 0o755 })
    }
    const env = { PATH: `${folder}:/usr/bin:/bin`, HOME: folder, WITH: '' }
    return async (editor: string) => {
      await edit({ env: { ...env, EDITOR: editor } } as unknown as Context, text)
      const [variable, ...args] = readFileSync(seen, 'utf8').split('\n').slice(0, -1)
      assert.equal(args.pop(), text, editor)
      return variable === '' ? args : [`WITH=${variable}`, ...args]
    }
  }

  test('quotes, backslashes, variables and a home folder mean what they mean in a shell', async (t) => {
    const folder = temporaryFolder(t)
    const argumentsOf = editors(folder)
    for (const [editor, expected] of [
      ['ed --cmd="set nu" -n', ['--cmd=set nu', '-n']],
      [`ed --cmd='say "yes"' ""`, ['--cmd=say "yes"', '']],
      ['My\\ Editor --wait', ['--wait']],
      ['"My Editor" --wait', ['--wait']],
      ['WITH=C ed', ['WITH=C']],
      ['WITH="a b" ed -n', ['WITH=a b', '-n']],
      ['env WITH=C ed', ['WITH=C']],
      ['exec ed -n', ['-n']],
      ['ed  -a\t-b', ['-a', '-b']],
      ['~/ed -n', ['-n']],
      ['$HOME/ed -n', ['-n']],
      [`ed "it's"`, ["it's"]],
      // Control: a name, and a path with spaces and quotes without any quoting.
      ['ed', []],
      [join(folder, 'My Editor'), []],
      [join(folder, "it's"), []],
    ] as const) {
      assert.deepEqual(await argumentsOf(editor), expected, editor)
    }
  })
  test('what the shell cannot run is a failure that names the variables, and nothing is changed', async (t) => {
    const argumentsOf = editors(temporaryFolder(t))
    for (const [editor, said] of [
      [
        'no-such-editor -n',
        /no-such-editor -n cannot be run \(status 127\): correct \$VISUAL or \$EDITOR; nothing was/,
      ],
      ['ed "unfinished', /the editor ed "unfinished exited with status 2; nothing was changed/],
    ] as const) {
      await assert.rejects(argumentsOf(editor), (error) => error instanceof Failure && said.test(error.message))
    }
  })
})

// Two calls of `gatewayctl portal aup edit` at the same time both found that their folder was missing. The second one to
// create it ended with "…/.gatewayctl cannot be created: EEXIST" instead of saying that another call was at work.
test('concurrent edits failed on their folder', async (t) => {
  const folder = join(temporaryFolder(t), 'folder')
  await Promise.all(Array.from({ length: 8 }, () => createFolder(folder, 0o700)))
  assert.equal(statSync(folder).mode & 0o777, 0o700)
})

// `acceptances export --output` synced the file before renaming it into place, but not the folder afterwards: after a
// power cut the folder could still contain the previous export, although the command had reported success; since the
// first version that wrote exports to files. Files that gatewayctl replaces (the control) were always synced with their
// folder.
describe('a power cut could take a finished export', () => {
  const PRELOAD = ['--import', new URL('../gatewayctl/record-syncs.ts', import.meta.url).href]

  /** Runs a command that writes `path`, and checks the order of its file operations. */
  async function assertDurable(path: string, args: readonly string[], surroundings: Surroundings = {}): Promise<void> {
    const log = `${path}.syncs`
    const env = { ...surroundings.env, SYNC_LOG: log }
    const { status, stderr } = await gatewayctlProcess(args, { ...surroundings, env, nodeOptions: PRELOAD })
    assert.equal(status, 0, stderr)
    const lines = readFileSync(log, 'utf8').trim().split('\n')
    const events = lines.map((line) => JSON.parse(line))
    const file = statSync(path).ino
    const renamed = events.findIndex((event) => event.renamed === file && event.to === path)
    assert.ok(renamed >= 0, `${lines}`)
    const isSynced = (path: string, from: number, to?: number) =>
      events.slice(from, to).some(({ synced }) => synced === statSync(path).ino)
    assert.ok(isSynced(path, 0, renamed), `the file before its rename: ${lines}`)
    assert.ok(isSynced(dirname(path), renamed), `the folder after it: ${lines}`)
  }

  test('an export is synced, then renamed, then its folder is synced', async (t) => {
    const ledger = await emptyLedger(t, sqlite)
    await fill(ledger, 3)
    const path = join(temporaryFolder(t), 'acceptances.csv')
    await assertDurable(path, ['portal', 'acceptances', 'export', '--output', path], { ledger })
  })
  test('control: a replaced file is synced the same way', async (t) => {
    const path = join(temporaryFolder(t), 'secret')
    writeFileSync(path, 'the-0ld-secret-of-this-test-0123456789abc\n')
    await assertDurable(path, ['secret', 'rotate', '--file', path])
  })
})

// Three ledgers contained two refusals. Merged in one order, the earlier refusal became the deciding one, because one
// ledger had recorded it alone, and in another order the later one: a second copy changed the result of the first.
test('the order of merging chose the refusal', () => {
  const at = (second: number) => `2026-11-20T12:00:${second}.000Z`
  const asked: AttemptRecord = { id: 'first', ...SHOWN, asked_at: at(10), answered_at: null, engine_status: null }
  const first: AttemptRecord = { ...asked, answered_at: at(30), engine_status: 403 }
  const second: AttemptRecord = { ...first, id: 'second', asked_at: at(20), answered_at: at(50), engine_status: 429 }
  function ledgerWith(attempt: AttemptRecord): AcceptanceWithAttempts {
    const { answered_at, engine_status } = attempt
    return {
      ...pendingAcceptance(at(10), [attempt]),
      ...(answered_at !== null && { state: 'refused', decided_at: answered_at, engine_status }),
    }
  }
  const [one, other, third] = [ledgerWith(second), ledgerWith(asked), ledgerWith(first)]
  const both = (some: AcceptanceWithAttempts, more: AcceptanceWithAttempts) =>
    mergeAcceptances(some, more) ?? assert.fail()
  const last = both(both(one, other), third)
  assert.deepEqual([last.decided_at, last.engine_status], [at(50), 429])
  assert.deepEqual(both(one, both(other, third)), last)
})

// A program ended at once, and what it had started in a session of its own kept its standard output open. At the time limit the
// process group was empty: gatewayctl ended with an uncaught ESRCH, in `alarms check` without a round. Since there is a time limit.
describe('a time limit ended gatewayctl', () => {
  const ran = (script: string) => run(['sh', '-c', script], { cwd: '/', env: { PATH: '/usr/bin:/bin' }, seconds: 0.4 })

  test('a program that left a process in another session', async () => {
    assert.deepEqual(await ran('echo before; setsid sleep 3 & exit 0'), { status: 0, stdout: 'before\n', stderr: '' })
    assert.equal((await ran('setsid sleep 3 & exit 3')).status, 3)
  })
  test('control: one that left a process in its group, one that does not end, and one that ends in time', async () => {
    assert.deepEqual(await ran('echo before; sleep 3 & exit 0'), { status: 0, stdout: 'before\n', stderr: '' })
    assert.deepEqual(await ran('echo before; sleep 3'), { status: null, stdout: 'before\n', stderr: '' })
    assert.deepEqual(await ran('echo whole'), { status: 0, stdout: 'whole\n', stderr: '' })
  })
})

// Root ran `gatewayctl alarms check` by hand, and /var/lib/gateway-alarms/alarms.json, whose folder belongs to gateway-alarms, was a
// link to /etc/shadow: that file was replaced, and then given to gateway-alarms. `gatewayctl lists add` followed a link that the
// engine's user had placed in /etc/gateway/engine, and `--output` one in /tmp. Since these commands write files.
describe('root followed a link of another user', { skip: skipUnless(process.getuid?.() === 0, 'needs root') }, () => {
  const USER = 12_345
  const WRITERS: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
    'the state of alarms': (path) => writeState([path], EMPTY),
    'a file that is edited': (path) => writeAtomically(path, 'new', 0o644),
    'an export': async (path) => await (await fileOutput(path)).finish(),
    async 'a file that is put back'(path) {
      writeFileSync(`${path}.kept`, 'kept')
      await renameOver(`${path}.kept`, path)
    },
  }

  /** A file of root's, and a link to it in another folder. */
  function linked(folder: string, own: (links: string) => void) {
    const [target, links] = [join(folder, 'shadow'), join(folder, 'links')]
    writeFileSync(target, 'root:secret', { mode: 0o640 })
    mkdirSync(links)
    own(links)
    symlinkSync(target, join(links, 'file'))
    return { target, links, path: join(links, 'file') }
  }

  for (const [name, write] of Object.entries(WRITERS)) {
    for (const [whose, own] of [
      ['the folder of another user', (links: string) => chownSync(links, USER, USER)],
      ['a folder in which everyone may write', (links: string) => chmodSync(links, 0o1777)],
    ] as const) {
      test(`${name}, in ${whose}`, async (t) => {
        const { target, path } = linked(temporaryFolder(t), own)
        await assert.rejects(
          write(path),
          (error) => error instanceof Failure && /file cannot be written: it is not a regular file/.test(error.message),
        )
        const { uid, mode } = statSync(target)
        assert.deepEqual([readFileSync(target, 'utf8'), uid, mode & 0o777], ['root:secret', 0, 0o640])
      })
    }
    test(`control: ${name}, by a link in root's own folder`, async (t) => {
      const { target, path } = linked(temporaryFolder(t), () => {})
      await write(path)
      assert.notEqual(readFileSync(target, 'utf8'), 'root:secret')
      assert.ok(lstatSync(path).isSymbolicLink())
    })
    test(`control: ${name}, a file in the folder of another user`, async (t) => {
      const links = join(temporaryFolder(t), 'links')
      mkdirSync(links)
      chownSync(links, USER, USER)
      writeFileSync(join(links, 'file'), 'old')
      await write(join(links, 'file'))
      assert.notEqual(readFileSync(join(links, 'file'), 'utf8'), 'old')
      assert.deepEqual(readdirSync(links), ['file'])
    })
  }
})
