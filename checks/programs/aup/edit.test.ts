// `portal aup edit` and related verbs with a real portal: what goes live, what does not, and the messages.
import assert from 'node:assert/strict'
import { appendFileSync, copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type TestGateway, testGateway } from '../../../test/gatewayctl/aup/gateway.ts'
import { until } from '../../../test/support/until.ts'

const WRITE = (text: string) => `printf '%s\\n' '${text}' > "$1"`

describe('the life of a policy', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await testGateway(undefined)
    await gateway.up()
  })
  after(() => gateway.remove())

  test('before the first text', async () => {
    const [enable, show, status] = await Promise.all([
      gateway.aup(['enable']),
      gateway.aup(['show']),
      gateway.aup(['status', '--json']),
    ])
    assert.equal(enable.status, 1)
    assert.match(enable.stderr, /your own policy, aup\.md, is missing; write it with "gatewayctl portal aup edit"/)
    assert.equal(show.status, 1)
    assert.match(show.stderr, /write it with "gatewayctl portal aup edit"/)
    assert.deepEqual(JSON.parse(status.stdout), {
      ...{ enabled: false, texts: [], previous: [] },
      ...{ problems: [], portal: 'healthy' },
    })
    assert.equal(status.status, 0)
    const { status: refused, stderr } = await gateway.aup(['edit', '--locale', 'fr'], { env: gateway.editor('true') })
    assert.equal(refused, 1)
    assert.match(stderr, /there is no aup\.md yet/)
  })

  test('an editor that leaves the template unchanged, empties it, or fails: no file remains', async () => {
    const files = gateway.files()
    const names = gateway.names()
    const cases: readonly [string, number, RegExp][] = [
      ['true', 0, /template was not changed; nothing was done/],
      [': > "$1"', 0, /text is empty; nothing was changed/],
      ['echo " " > "$1"', 0, /text is empty; nothing was changed/],
      ['rm "$1"', 0, /text is empty; nothing was changed/],
      ['exit 3', 1, /editor .* exited with status 3; nothing was changed/],
      ['echo text > "$1"; echo more > "$1~"; exit 1', 1, /editor .* exited with status 1; nothing was changed/],
      ['kill -9 $$', 1, /editor .* was killed by SIGKILL; nothing was changed/],
    ]
    for (const [script, status, said] of cases) {
      const ended = await gateway.aup(['edit'], { env: gateway.editor(script) })
      assert.equal(ended.status, status, ended.stderr)
      assert.match(ended.stderr, said)
      assert.deepEqual(gateway.files(), files)
      assert.deepEqual(gateway.names(), names)
      assert.ok(!existsSync(join(gateway.home, '.gatewayctl')))
    }
    assert.ok(!gateway.calls().some((call) => call.includes(' up ') && call.includes('--detach')))
  })

  test('the first text goes live; the editor starts with the template', async () => {
    const environment = gateway.files()['.env'] ?? ''
    const { status, stderr } = await gateway.aup(['edit'], {
      env: gateway.editor(`grep -q '^# Acceptable use policy' "$1" && sed -i 's/Rule one/First of all/' "$1"`),
    })
    assert.equal(status, 0, stderr)
    assert.match(stderr, /aup\.md is live\.\n$/)
    assert.match(stderr, /recorded under PRIVACY_POLICY_VERSION 2026-11-20\. A changed text needs a new version: /)
    assert.match(
      stderr,
      /^the ledger is (memory-backed|in a folder for temporary files): .* set GATEWAY_CAPTIVE_DATABASE_URL=/m,
    )
    assert.match((await gateway.page()) ?? '', /First of all/)
    assert.equal(
      gateway.files()['.env'],
      environment.replace(
        '# the switch\nGATEWAY_CAPTIVE_AUP_ENABLED=false',
        '# the switch\nGATEWAY_CAPTIVE_AUP_ENABLED=true',
      ),
    )
    assert.equal(statSync(join(gateway.home, '.env')).mode & 0o777, 0o640)
    assert.equal(statSync(gateway.text).mode & 0o777, 0o644)
    const show = await gateway.aup(['show'])
    assert.equal(show.stdout, readFileSync(gateway.text, 'utf8'))
  })

  test('$VISUAL wins, and may have arguments', async () => {
    const { EDITOR = '' } = gateway.editor('test "$1" = "two words" && echo "# From VISUAL" > "$2"')
    const { status, stderr } = await gateway.aup(['edit'], {
      env: { EDITOR: '/bin/false', VISUAL: `${EDITOR} "two words"` },
    })
    assert.equal(status, 0, stderr)
    assert.match((await gateway.page()) ?? '', /From VISUAL/)
  })

  test('unchanged and on: nothing; unchanged and off: on', async () => {
    const first = await gateway.aup(['edit'], { env: gateway.editor('true') })
    assert.match(first.stderr, /not changed; nothing was done/)
    const disable = await gateway.aup(['disable'])
    assert.equal(disable.status, 0, disable.stderr)
    assert.doesNotMatch((await gateway.page()) ?? '', /From VISUAL/)
    assert.doesNotMatch(disable.stderr, /Acceptances/)
    assert.match((await gateway.aup(['disable'])).stderr, /already off/)
    const envFile = join(gateway.home, '.env')
    writeFileSync(envFile, `${readFileSync(envFile, 'utf8')}\nPRIVACY_POLICY_VERSION=Autumn 2026\n`)
    const enable = await gateway.aup(['enable'])
    assert.equal(enable.status, 0, enable.stderr)
    assert.match(
      enable.stderr,
      /recorded under PRIVACY_POLICY_VERSION Autumn 2026\. A changed text needs a new version: /,
    )
    assert.match(enable.stderr, /^the ledger is (memory-backed|in a folder for temporary files): /m)
    assert.equal((await gateway.aup(['disable'])).status, 0)
    const second = await gateway.aup(['edit'], { env: gateway.editor('true') })
    assert.equal(second.stderr.split('\n').at(-2), 'The text was not changed; the policy is turned on.')
    assert.match((await gateway.page()) ?? '', /From VISUAL/)
  })

  test('by file and by standard input', async () => {
    const file = join(gateway.home, 'other.md')
    writeFileSync(file, '# From a file\n')
    const byFile = await gateway.aup(['edit', '--file', file])
    assert.equal(byFile.status, 0, byFile.stderr)
    assert.match((await gateway.page()) ?? '', /From a file/)
    const byInput = await gateway.aup(['edit', '--file', '-'], {
      stdin: '# From input\n',
      env: gateway.editor('exit 9'),
    })
    assert.equal(byInput.status, 0, byInput.stderr)
    const implied = await gateway.aup(['edit', '--locale', 'fr'], { stdin: '# En français\n' })
    assert.equal(implied.status, 0, implied.stderr)
    assert.match((await gateway.page()) ?? '', /From input/)
    assert.equal(gateway.files()['aup/aup.fr.md'], '# En français\n')
    assert.equal((await gateway.aup(['show', '--locale', 'fr'])).stdout, '# En français\n')
    const empty = await gateway.aup(['edit'], { stdin: '' })
    assert.deepEqual([empty.status, empty.stderr], [1, 'error: The text is empty; nothing was changed.\n'])
    const missing = await gateway.aup(['edit', '--file', '/nowhere/at/all'])
    assert.match(missing.stderr, /^error: \/nowhere\/at\/all cannot be read: /)
  })

  test('an invalid text does not cause a restart', async () => {
    const files = gateway.files()
    const calls = gateway.calls().length
    const cases: readonly [string, RegExp][] = [
      ['<!-- only a comment -->', /the portal would refuse this:\n {2}standard input must not be empty/],
      ['a\u0000b', /standard input must contain only text; line 1 contains the character U\+0000/],
      ['x'.repeat(300_000), /standard input must have at most 262144 bytes/],
    ]
    for (const [stdin, said] of cases) {
      const { status, stderr } = await gateway.aup(['edit', '--file', '-'], { stdin })
      assert.equal(status, 1)
      assert.match(stderr, said)
    }
    const file = join(gateway.home, 'new $& policy.md')
    writeFileSync(file, '<!-- x -->')
    const named = await gateway.aup(['edit', '--file', file])
    rmSync(file)
    assert.ok(named.stderr.includes(`refuse this:\n  "${file}" must not be empty`), named.stderr)
    const edited = await gateway.aup(['edit'], { env: gateway.editor(WRITE('<!-- x -->')) })
    assert.match(edited.stderr, /refuse this:\n {2}"aup\.md" must not be empty/)
    assert.match(edited.stderr, /Your text is kept in .*\/aup\.md\.\n$/)
    const [, draft = ''] = /kept in (.*)\.\n$/.exec(edited.stderr) ?? []
    assert.equal(readFileSync(draft, 'utf8'), '<!-- x -->\n')
    assert.equal(statSync(draft).mode & 0o777, 0o600)
    assert.deepEqual(gateway.files(), files)
    assert.equal(gateway.calls().length, calls)
  })

  test('a text that ends the portal, at once or a little later, is reverted', async () => {
    const files = gateway.files()
    for (const [text, steady] of [
      ['CRASH AT ONCE', '1'],
      ['CRASH LATER', '8'],
    ] as const) {
      const startedAt = Date.now()
      const { status, stderr } = await gateway.aup(['edit', '--steady', steady], {
        env: gateway.editor(WRITE(`# ${text}`)),
      })
      assert.equal(status, 1)
      assert.match(
        stderr,
        /error: the portal did not stay up with this: gateway-portal-1 is exited, with exit status 70/,
      )
      assert.match(stderr, /Its last log lines:\n(.*\n)* {2}the defect: \\u\{1b\}\[31mthis text is too much\n/)
      assert.match(stderr, /Text, switch and container are as they were; the portal runs and is healthy\./)
      assert.match(stderr, /Your text is kept in /)
      assert.deepEqual(gateway.files(), files)
      assert.match((await gateway.page()) ?? '', /From input/)
      assert.ok(Date.now() - startedAt < 60_000)
    }
  })

  test('replaced texts stay next to the current one, and copying restores one', async () => {
    const status = await gateway.aup(['status', '--json'])
    const { previous } = JSON.parse(status.stdout) as { previous: { file: string; replaced_at: string }[] }
    assert.deepEqual(
      previous.map(({ file }) => readFileSync(file, 'utf8').slice(0, 13)),
      ['# From a file', '# From VISUAL', '<!--\nThe acce'],
    )
    for (const { file, replaced_at } of previous) {
      assert.match(replaced_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
      assert.equal(file, `${gateway.text}.${replaced_at.replaceAll(':', '-')}`)
      assert.equal(statSync(file).mode & 0o777, 0o644)
    }
    const [newest] = previous
    const shown = await gateway.aup(['status'])
    assert.match(shown.stdout, new RegExp(`^previous text {7}${newest?.file}, 14 bytes, SHA-256 `, 'm'))
    const restored = await gateway.aup(['edit', '--file', previous.at(-1)?.file ?? ''])
    assert.equal(restored.status, 0, restored.stderr)
    assert.match((await gateway.page()) ?? '', /First of all/)
    copyFileSync(newest?.file ?? '', gateway.text)
    await gateway.up()
    assert.match((await gateway.page()) ?? '', /From a file/)
  })

  test('status prints every field, and what is wrong', async () => {
    const good = await gateway.aup(['status'])
    assert.equal(good.status, 0, good.stderr)
    assert.match(good.stdout, /^your own policy {5}on\ntext .*aup\.md, changed \d{4}-.*Z, \d+ bytes, SHA-256 /)
    assert.match(good.stdout, /portal {14}healthy\n$/)
    gateway.engineDown(true)
    const bad = await gateway.aup(['status'])
    const edited = await gateway.aup(['edit', '--file', '-'], { stdin: '# x' })
    gateway.engineDown(false)
    assert.equal(bad.status, 1)
    const said =
      'error: "docker compose --file compose.yaml ps --all --quiet portal" exited with status 1:\nCannot connect to the Docker daemon\n'
    assert.equal(bad.stderr, said)
    assert.equal(edited.stderr, said)
    assert.doesNotMatch(gateway.files()['aup/aup.md'] ?? '', /# x/)
  })
})

test('the files that COMPOSE_FILE in .env names extend compose.yaml', async (t) => {
  const gateway = await testGateway(t)
  appendFileSync(join(gateway.home, '.env'), '\nCOMPOSE_FILE=compose.yaml:observability/journald.yaml\n')
  gateway.engineDown(true)
  const { stderr } = await gateway.aup(['status'])
  assert.match(stderr, /^error: "docker compose --file compose\.yaml --file observability\/journald\.yaml ps /)
})

test('two at once: the second one is rejected without waiting', async (t) => {
  const gateway = await testGateway(t)
  await gateway.up()
  const go = join(gateway.home, 'go')
  const first = gateway.start(['edit'], {
    env: gateway.editor(`touch '${go}.seen'; while ! [ -e '${go}' ]; do sleep 0.05; done; echo '# First' > "$1"`),
  })
  t.after(() => first.kill('SIGKILL'))
  first.stdin.end()
  await until(() => existsSync(`${go}.seen`))
  const second = await gateway.aup(['edit', '--file', '-'], { stdin: '# Second' })
  assert.equal(second.status, 1)
  assert.equal(second.stderr, `error: another gatewayctl is changing this gateway: ${gateway.home}\n`)
  assert.equal((await gateway.aup(['status'])).status, 0)
  writeFileSync(go, '')
  assert.equal(await new Promise((resolve) => first.once('close', resolve)), 0)
  assert.match((await gateway.page()) ?? '', /First/)
})
