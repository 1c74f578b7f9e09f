// An operator uses the shipped deployment: a policy edit goes live, one that crashes the portal is rolled back, and no
// accepted record is lost, whatever happens to the containers.
import assert from 'node:assert/strict'
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { images } from '../images.ts'
import { assertNothingLost, visit } from './acceptances.ts'
import { composeProgram, docker, dockerAsync, rollbackSeconds } from './docker.ts'
import { type Stack, startStack } from './stack.ts'

const DEFECT = fileURLToPath(new URL('../../../test/gatewayctl/aup/defective-image.ts', import.meta.url))
const DEFECTIVE = 'portal-check/portal-with-a-defect'

/** Builds the portal's image with a defect that certain texts trigger. */
function buildDefective(): void {
  const folder = mkdtempSync(join(tmpdir(), 'defect-'))
  copyFileSync(DEFECT, join(folder, 'defect.ts'))
  writeFileSync(
    join(folder, 'Dockerfile'),
    `FROM ${images.portal}\nCOPY defect.ts src/\nENV NODE_OPTIONS="--import /app/src/defect.ts"\n`,
  )
  docker('build', '--quiet', '--tag', DEFECTIVE, folder)
  rmSync(folder, { recursive: true })
}

describe('the shipped deployment, operated', () => {
  let stack: Stack
  before(async () => {
    buildDefective()
    stack = await startStack({ portalImage: DEFECTIVE })
  })
  after(() => stack?.remove())

  const policyPage = async () => {
    const [redirect = ''] = stack.verdicts('http://social.localhost/', 1)
    return (await visit(stack, redirect)).body
  }
  const edit = (script: string) => {
    const editor = join(stack.home, 'editor')
    writeFileSync(editor, `#!/bin/sh\n${script}\n`)
    chmodSync(editor, 0o755)
    return stack.gatewayctl(['portal', 'aup', 'edit'], { VISUAL: editor })
  }

  test('aup edit: starts from the template, and the new text goes live in a new container', async () => {
    const before = stack.container('portal')
    const { status, stderr } = await edit(`grep -q '^# ' "$1" && printf '# Rules of the house\\n\\nBe kind.\\n' > "$1"`)
    assert.equal(status, 0, stderr)
    assert.notEqual(stack.container('portal'), before)
    await stack.ready()
    const page = await policyPage()
    assert.match(page, /Rules of the house/)
    assert.match(page, /Be kind\./)
  })

  test('portal status: everything is ok, as reported by the portal’s container', async () => {
    const { status, stdout, stderr } = await stack.gatewayctl(['portal', 'status', '--json'])
    assert.equal(status, 0, stdout + stderr)
    assert.ok(JSON.parse(stdout).findings[0].detail.startsWith(`${composeProgram}: `), stdout)
  })

  for (const when of ['AT ONCE', 'LATER']) {
    test(`aup edit: a text that makes the portal crash (${when.toLowerCase()}) is rolled back in time`, async () => {
      const startedAt = performance.now()
      const { status, stderr } = await edit(`printf '# CRASH ${when}\\n' > "$1"`)
      const seconds = (performance.now() - startedAt) / 1000
      assert.equal(status, 1, stderr)
      assert.match(stderr, /did not stay up with this/)
      assert.match(stderr, /the defect: .*this text is too much/)
      assert.ok(seconds < rollbackSeconds(), `${seconds} s`)
      await stack.ready()
      assert.match(await policyPage(), /Rules of the house/)
      assert.match((await stack.gatewayctl(['portal', 'aup', 'show'])).stdout, /^# Rules of the house\n/)
    })
  }

  test('aup edit: a folder that the container does not mount is noticed', async () => {
    const files = ['.env', 'compose.yaml'].map((name) => join(stack.home, name))
    const before = files.map((file) => readFileSync(file, 'utf8'))
    const write = (texts: readonly string[]) => texts.map((text, at) => writeFileSync(files[at] ?? '', text))
    const setting = 'GATEWAY_CAPTIVE_AUP_FOLDER'
    write([`${before[0]}\n${setting}=./elsewhere\n`, `${before[1]}`.replace(`\${${setting}:-./aup}`, './aup')])
    const { status, stderr } = await edit(`echo '# Elsewhere' > "$1"`)
    write(before)
    assert.equal(status, 1)
    assert.match(stderr, /sees a different \/etc\/gateway-captive\/aup\.md: is the folder/)
    await stack.ready()
  })

  test('docs/run.md: a backup is taken out of the volume and restored; the portal’s user owns the file', async () => {
    await assertNothingLost(stack, async () => {})
    const total = () => JSON.parse(stack.inside('portal', 'acceptances', 'list', '--json', '--limit', '1')).total
    const before = total()
    stack.documented('docs/run.md', ':/var/lib/portal/backup.db')
    await assertNothingLost(stack, async () => {})
    assert.ok(total() > before)
    stack.documented('docs/run.md', '< /backup/portal.db')
    await stack.ready()
    assert.equal(total(), before)
    const owner = docker('exec', stack.container('portal'), 'stat', '-c', '%u:%g', '/var/lib/portal/portal.db')
    assert.equal(owner, '10001:10001')
    await assertNothingLost(stack, async () => {})
  })

  // checks/chaos/ledger.ts kills portals without containers.
  test('a container that is replaced: every acceptance that a visitor was redirected for is in the ledger', () =>
    assertNothingLost(stack, async () => {
      await dockerAsync('rm', '--force', stack.container('portal'))
      stack.compose('up', '--detach', '--no-build', '--no-deps', 'portal')
    }))
})
