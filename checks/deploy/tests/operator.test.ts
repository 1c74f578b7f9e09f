// The shipped deployment in an operator's hands: a policy is edited, one that the portal cannot live with is taken back, and
// whatever happens to the containers, no accepted record is lost.
import assert from 'node:assert/strict'
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { losesNothing, visit } from './acceptances.ts'
import { composeProgram, docker, dockerMeanwhile, rollbackSeconds } from './docker.ts'
import { images } from './images.ts'
import { type Stack, startStack } from './stack.ts'

const DEFECT = fileURLToPath(new URL('../../../test/gatewayctl/aup/defective-image.ts', import.meta.url))
const DEFECTIVE = 'portal-check/portal-with-a-defect'

/** The portal's image with a defect that certain texts bring out. */
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

describe('in an operator’s hands', () => {
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

  test('aup edit: the template is seeded, and the text that is written goes live in a new container', async () => {
    const before = stack.container('portal')
    const { status, stderr } = await edit(`grep -q '^# ' "$1" && printf '# Rules of the house\\n\\nBe kind.\\n' > "$1"`)
    assert.equal(status, 0, stderr)
    assert.notEqual(stack.container('portal'), before)
    await stack.ready()
    const page = await policyPage()
    assert.match(page, /Rules of the house/)
    assert.match(page, /Be kind\./)
  })

  test('portal status: nothing is wrong, and it is asked of what runs the portal', async () => {
    const { status, stdout, stderr } = await stack.gatewayctl(['portal', 'status', '--json'])
    assert.equal(status, 0, stdout + stderr)
    assert.ok(JSON.parse(stdout).findings[0].says.startsWith(`${composeProgram}: `), stdout)
  })

  for (const when of ['AT ONCE', 'LATER']) {
    test(`aup edit: a text that makes the portal crash (${when.toLowerCase()}) is taken back in time`, async () => {
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

  const events: Readonly<Record<string, () => Promise<void>>> = {
    'docker restart': () => dockerMeanwhile('restart', '--time', '10', stack.container('portal')),
    async 'docker kill'() {
      const container = stack.container('portal')
      await dockerMeanwhile('kill', container)
      await dockerMeanwhile('start', container)
    },
    async 'a new container'() {
      await dockerMeanwhile('rm', '--force', stack.container('portal'))
      stack.compose('up', '--detach', '--no-build', '--no-deps', 'portal')
    },
  }
  for (const [name, event] of Object.entries(events)) {
    test(`${name}: every acceptance that a visitor was redirected for is in the ledger`, () =>
      losesNothing(stack, event))
  }
})
