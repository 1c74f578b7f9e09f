// A signal during `portal aup edit`: the change is put back before gatewayctl ends.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type TestGateway, testGateway } from '../../../test/gatewayctl/aup/gateway.ts'
import { ended, MAIN, skipWithoutScript } from '../../../test/gatewayctl/gatewayctl.ts'
import { until } from '../../../test/support/until.ts'

/** A busy machine starts a portal slowly. */
const PATIENCE = 60

describe('interrupted', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await testGateway(undefined)
    await gateway.upWith('# Old text\n')
  })
  after(() => gateway.remove())

  const shows = async (text: string) => (await gateway.page())?.includes(text) === true
  /** @returns how it ended, with the files as they were */
  const interrupted = async (signal: NodeJS.Signals, isTime: (said: string) => boolean | Promise<boolean>) => {
    const [files, names] = [gateway.files(), gateway.names()]
    const child = gateway.start(['edit', '--file', '-', '--steady', '60'])
    let said = ''
    child.stderr.on('data', (chunk) => {
      said += chunk
    })
    const end = ended(child)
    child.stdin.end('# New text\n')
    await until(async () => await isTime(said), PATIENCE, 50)
    child.kill(signal)
    // A second signal does not stop the work of the first one.
    await until(() => said.includes('\nInterrupted: putting back what was there …\n'))
    child.kill(signal)
    const outcome = await end
    assert.deepEqual(gateway.files(), files)
    assert.deepEqual(gateway.names(), names)
    assert.equal(await shows('New text'), false)
    return outcome
  }

  test('by SIGINT, once visitors see the new text', async () => {
    const { status, stderr } = await interrupted('SIGINT', () => shows('New text'))
    assert.equal(status, 130, stderr)
    assert.match(
      stderr,
      /\nerror: interrupted by SIGINT\nText, switch and container are as they were; the portal runs and is healthy\.\n$/,
    )
  })

  test('while the container is being recreated', async () => {
    const { status } = await interrupted('SIGTERM', (said) => said.includes('Recreating the portal'))
    assert.equal(status, 143)
  })

  test('a text changed by another process stays, and is named', async () => {
    const files = gateway.files()
    const child = gateway.start(['edit', '--file', '-', '--steady', '60'])
    const end = ended(child)
    child.stdin.end('# New text\n')
    await until(() => shows('New text'), PATIENCE, 50)
    writeFileSync(gateway.text, '# Their text\n')
    child.kill('SIGINT')
    const { status, stderr } = await end
    assert.equal(status, 130)
    assert.match(stderr, /\n\/\S+aup\.md was changed by another program in the meantime, and stays as it is now\.\n$/)
    assert.deepEqual(gateway.files(), { ...files, 'aup/aup.md': '# Their text\n' })
    for (const name of readdirSync(join(gateway.home, 'aup'))) {
      if (name !== 'aup.md') rmSync(join(gateway.home, 'aup', name))
    }
  })

  test('by closing the terminal', { skip: skipWithoutScript }, async () => {
    const files = gateway.files()
    const text = join(gateway.home, 'new.md')
    writeFileSync(text, '# New text\n')
    const command = `'${process.execPath}' '${MAIN}' portal aup edit --file '${text}' --steady 60`
    const terminal = spawn('/usr/bin/script', ['-qefc', command, '/dev/null'], {
      env: { ...gateway.env, SHELL: '/bin/sh' },
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    await until(() => shows('New text'), PATIENCE, 50)
    terminal.kill('SIGKILL')
    await until(async () => (await shows('policy')) && !(await shows('New text')), PATIENCE, 50)
    await until(async () => (await gateway.aup(['disable'])).stderr === 'Your own policy is already off.\n', 10, 50)
    assert.deepEqual(gateway.files(), files)
    assert.deepEqual(
      readdirSync(join(gateway.home, 'aup')).filter((name) => name !== 'aup.md'),
      [],
    )
  })
})
