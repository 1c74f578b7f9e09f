// `portal aup edit` and its neighbours against a real portal: what goes live, what does not, and what is said.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type TestGateway, testGateway } from './gateway.ts'

const WRITE = (text: string) => `printf '%s\\n' '${text}' > "$1"`

describe('the life of a policy', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await testGateway(undefined)
    await gateway.up()
  })
  after(() => gateway.remove())

  test('before there is a text', async () => {
    const [enable, show, status, french] = await Promise.all([
      gateway.aup(['enable']),
      gateway.aup(['show']),
      gateway.aup(['status', '--json']),
      gateway.aup(['history']),
    ])
    assert.equal(enable.status, 1)
    assert.match(enable.stderr, /there is no text of your own, aup\.md; write one with "gatewayctl portal aup edit"/)
    assert.equal(show.status, 1)
    assert.match(show.stderr, /write it with "gatewayctl portal aup edit"/)
    assert.deepEqual(JSON.parse(status.stdout), { enabled: false, texts: [], problems: [], portal: 'healthy' })
    assert.equal(status.status, 0)
    assert.equal(french.stderr, 'No text was replaced yet.\n')
    const { status: refused, stderr } = await gateway.aup(['edit', '--locale', 'fr'], { env: gateway.editor('true') })
    assert.equal(refused, 1)
    assert.match(stderr, /there is no aup\.md yet/)
  })

  test('an editor that only looks at the template, empties it, or fails changes nothing', async () => {
    const files = gateway.files()
    const cases: readonly [string, number, RegExp][] = [
      ['true', 0, /template was not changed; nothing was done/],
      [': > "$1"', 0, /text is empty; nothing was changed/],
      ['echo " " > "$1"', 0, /text is empty; nothing was changed/],
      ['rm "$1"', 0, /text is empty; nothing was changed/],
      ['exit 3', 1, /editor .* ended with 3; nothing was changed/],
      ['kill -9 $$', 1, /editor .* ended with SIGKILL; nothing was changed/],
    ]
    for (const [script, status, said] of cases) {
      const ended = await gateway.aup(['edit'], { env: gateway.editor(script) })
      assert.equal(ended.status, status, ended.stderr)
      assert.match(ended.stderr, said)
      assert.deepEqual(gateway.files(), files)
    }
    assert.ok(!gateway.calls().some((call) => call.includes(' up ') && call.includes('--detach')))
  })

  test('the first text goes live; the template was seeded', async () => {
    const environment = gateway.files()['.env'] ?? ''
    const { status, stderr } = await gateway.aup(['edit'], {
      env: gateway.editor(`grep -q '^# Acceptable use policy' "$1" && sed -i 's/Rule one/First of all/' "$1"`),
    })
    assert.equal(status, 0, stderr)
    assert.match(stderr, /aup\.md is live\.\n$/)
    assert.match((await gateway.page()) ?? '', /First of all/)
    assert.equal(
      gateway.files()['.env'],
      environment.replace(
        'GATEWAY_CAPTIVE_AUP_ENABLED=false  # the switch',
        'GATEWAY_CAPTIVE_AUP_ENABLED=true  # the switch',
      ),
    )
    assert.equal(statSync(join(gateway.home, '.env')).mode & 0o777, 0o640)
    assert.equal(statSync(gateway.text).mode & 0o777, 0o644)
    assert.equal(existsSync(join(gateway.home, '.gatewayctl', 'journal.json')), false)
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
    assert.match((await gateway.aup(['disable'])).stderr, /off already/)
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

  test('what the portal would refuse does not get as far as a restart', async () => {
    const files = gateway.files()
    const calls = gateway.calls().length
    const cases: readonly [string, RegExp][] = [
      ['<!-- only a comment -->', /the portal would refuse this:\n {2}"aup\.md" must not be empty/],
      ['a\u0000b', /"aup\.md" must contain only text; line 1 contains the character U\+0000/],
      ['x'.repeat(300_000), /"aup\.md" must have at most 262144 bytes/],
    ]
    for (const [stdin, said] of cases) {
      const { status, stderr } = await gateway.aup(['edit', '--file', '-'], { stdin })
      assert.equal(status, 1)
      assert.match(stderr, said)
    }
    const edited = await gateway.aup(['edit'], { env: gateway.editor(WRITE('<!-- x -->')) })
    assert.match(edited.stderr, /Your text is kept in .*\/drafts\/aup\.md\.\n$/)
    assert.deepEqual(gateway.files(), files)
    assert.equal(gateway.calls().length, calls)
  })

  test('a text that ends the portal, at once or a little later, is taken back', async () => {
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

  test('history lists what was replaced, restore brings it back', async () => {
    const { texts } = JSON.parse((await gateway.aup(['history', '--json'])).stdout)
    assert.deepEqual(
      texts.map(({ number, file, size }: Record<string, unknown>) => [number, file, size]),
      [
        [3, 'aup.md', 14],
        [2, 'aup.md', 14],
        [1, 'aup.md', texts[2].size],
      ],
    )
    const table = await gateway.aup(['history'])
    assert.match(table.stdout, /^N +replaced_at +file +bytes +sha256\n3 {2}/)
    const { status, stderr } = await gateway.aup(['restore', '1'])
    assert.equal(status, 0, stderr)
    assert.match((await gateway.page()) ?? '', /First of all/)
    assert.match((await gateway.aup(['restore', '1'])).stderr, /is this text already; nothing was done/)
    assert.match((await gateway.aup(['restore', '99'])).stderr, /there is no text 99/)
  })

  test('status says all of it, and what is wrong', async () => {
    const good = await gateway.aup(['status'])
    assert.equal(good.status, 0, good.stderr)
    assert.match(good.stdout, /^policy of your own {2}on\ntext .*aup\.md, changed \d{4}-.*Z, \d+ bytes, SHA-256 /)
    assert.match(good.stdout, /portal {14}healthy\n$/)
    gateway.engineDown(true)
    const bad = await gateway.aup(['status'])
    const edited = await gateway.aup(['edit', '--file', '-'], { stdin: '# x' })
    gateway.engineDown(false)
    assert.equal(bad.status, 1)
    const said =
      'error: "docker compose --file compose.yaml ps --all --quiet portal" ended with 1:\nCannot connect to the Docker daemon\n'
    assert.equal(bad.stderr, said)
    assert.equal(edited.stderr, said)
    assert.doesNotMatch(gateway.files()['aup/aup.md'] ?? '', /# x/)
  })
})

test('two at once: the second is refused, and nothing waits', async (t) => {
  const gateway = await testGateway(t)
  await gateway.up()
  const go = join(gateway.home, 'go')
  const first = gateway.start(['edit'], {
    env: gateway.editor(`touch '${go}.seen'; while ! [ -e '${go}' ]; do sleep 0.05; done; echo '# First' > "$1"`),
  })
  first.stdin.end()
  while (!existsSync(`${go}.seen`)) await new Promise((resolve) => setTimeout(resolve, 20))
  const second = await gateway.aup(['edit', '--file', '-'], { stdin: '# Second' })
  assert.equal(second.status, 1)
  assert.equal(second.stderr, `error: another gatewayctl is changing this gateway, process ${first.pid}\n`)
  assert.equal((await gateway.aup(['status'])).status, 0)
  writeFileSync(go, '')
  assert.equal(await new Promise((resolve) => first.once('close', resolve)), 0)
  assert.match((await gateway.page()) ?? '', /First/)
})
