// A kill of gatewayctl at every step of a change, and of the recovery after it: the next call leaves the old state or the
// new one, whole, and says what it found.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { until } from '../../support/until.ts'
import { type Ended, ended } from '../gatewayctl.ts'
import { type TestGateway, testGateway } from './gateway.ts'

const NODE_OPTIONS = ['--import', new URL('kill-at.ts', import.meta.url).href]
const FOUND =
  /^found a "gatewayctl portal aup edit" of \d{4}-\S+Z that was interrupted; putting back what was there …\n/m

/** Every step takes minutes: without LONG_TESTS=1 some of them, spread over the whole. */
const ALL = process.env.LONG_TESTS === '1'
const STRIDE = ALL ? 1 : 13
/** A machine that does other things as well starts a portal slowly. */
const PATIENCE = 60

describe('a kill', () => {
  let gateway: TestGateway
  let texts = 0
  before(async () => {
    gateway = await testGateway(undefined)
    await gateway.up()
    assert.equal((await gateway.aup(['edit', '--file', '-'], { stdin: '# Old text\n' })).status, 0)
  })
  after(() => gateway.remove())

  const isOn = () => gateway.files()['.env']?.includes('AUP_ENABLED=true') === true
  const hasJournal = () => readdirSync(join(gateway.home, '.gatewayctl')).includes('journal.json')

  /**
   * Edits, with the policy turned off before, until the kill; then calls twice.
   * @returns whether the kill came in time
   */
  async function interrupted(
    edit: (stdin: string) => Promise<Ended>,
    recoveryEnv: Record<string, string> = {},
  ): Promise<boolean> {
    if (isOn()) assert.equal((await gateway.aup(['disable'])).status, 0)
    const old = gateway.files()
    const text = `# New text ${++texts}\n`
    const { status, stderr } = await edit(text)
    const wasJournal = hasJournal()
    const recovery = await gateway.aup(['status'], { env: recoveryEnv, nodeOptions: NODE_OPTIONS })
    const last = await gateway.aup(['status'])
    assert.equal(last.status, 0, last.stderr)
    if (wasJournal) assert.match(recovery.stderr, FOUND)

    assert.equal(hasJournal(), false)
    const isNew = isOn()
    const changed = { '.env': (old['.env'] ?? '').replace('ENABLED=false', 'ENABLED=true'), 'aup/aup.md': text }
    assert.deepEqual(gateway.files(), isNew ? { ...old, ...changed } : old)
    await until(async () => (await gateway.page())?.includes(`New text ${texts}`) === isNew, PATIENCE)
    if (status === 0) assert.ok(isNew, stderr)
    return status === null
  }

  test('at everything that is done to a file, and again while that is put right', async () => {
    let at = 1 - STRIDE
    const killed = () => {
      at += STRIDE
      const env = { KILL_AT_FILE: `${at}` }
      const edit = (stdin: string) => gateway.aup(['edit', '--file', '-'], { stdin, env, nodeOptions: NODE_OPTIONS })
      return interrupted(edit, { KILL_AT_FILE: `${((at - 1) % 7) + 1}` })
    }
    while (await killed()) assert.ok(at < 60)
    assert.ok(at > 12, `${at}`)
  })

  test('at every call of the container engine, which does what it was asked all the same', async () => {
    let at = 1 - STRIDE
    const killed = () => {
      at += STRIDE
      const edit = (stdin: string) =>
        gateway.aup(['edit', '--file', '-'], { stdin, env: { KILL_AT: `${gateway.calls().length + at}` } })
      return interrupted(edit)
    }
    while (await killed()) assert.ok(at < 30)
    assert.ok(at > 6, `${at}`)
  })

  test('at any time', async () => {
    for (let round = 0; round < (ALL ? 6 : 1); round++) {
      await interrupted(async (text) => {
        const child = gateway.start(['edit', '--file', '-', '--steady', '1'])
        child.stdin.end(text)
        const end = ended(child)
        const timer = setTimeout(() => child.kill('SIGKILL'), 300 + Math.random() * 4_000)
        return await end.finally(() => clearTimeout(timer))
      })
    }
  })

  test('Ctrl-C is said to be put right by the next call', async () => {
    if (isOn()) await gateway.aup(['disable'])
    const child = gateway.start(['edit', '--file', '-', '--steady', '60'])
    child.stdin.end('# Interrupted\n')
    const end = ended(child)
    await until(async () => (await gateway.page())?.includes('Interrupted') === true, PATIENCE)
    child.kill('SIGINT')
    const { status, stderr } = await end
    assert.equal(status, 130)
    assert.match(stderr, /\ninterrupted: the next "gatewayctl portal aup …" puts back what was there\n$/)
    const next = await gateway.aup(['show'])
    assert.match(next.stderr, FOUND)
    assert.doesNotMatch(next.stdout, /Interrupted/)
  })

  test('no text that was replaced is lost on the way', async () => {
    assert.equal((await gateway.aup(['enable'])).status, 0)
    const { stdout } = await gateway.aup(['history', '--json'])
    const numbers = JSON.parse(stdout).texts.map(({ number }: { number: number }) => number)
    assert.deepEqual(
      numbers,
      Array.from({ length: numbers.length }, (_, at) => numbers.length - at),
    )
    const left = [gateway.home, join(gateway.home, 'aup')].flatMap((folder) => readdirSync(folder))
    assert.deepEqual(
      left.filter((name) => /\.before$/.test(name)),
      [],
    )
  })
})
