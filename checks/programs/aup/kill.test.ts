// SIGKILL at every step of a change: each file is complete, the old or the new one, and the next edit works.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { testGateway } from '../../../test/gatewayctl/aup/gateway.ts'
import { until } from '../../../test/support/until.ts'

const NODE_OPTIONS = ['--import', new URL('kill-at.ts', import.meta.url).href]
const [OLD, NEW] = ['# Old text\n', '# New text\n']
/** A busy machine starts a portal slowly. */
const PATIENCE = 60

test('SIGKILL leaves the old or the new file', async (t) => {
  const gateway = await testGateway(t)
  await gateway.upWith(OLD)
  const [folder, envFile] = [join(gateway.home, 'aup'), join(gateway.home, '.env')]
  const off = readFileSync(envFile, 'utf8')
  const on = off.replace('ENABLED=false', 'ENABLED=true')
  const previous = () => readdirSync(folder).filter((name) => name.startsWith('aup.md.'))
  const assertComplete = () => {
    const [text, environment] = [readFileSync(gateway.text, 'utf8'), readFileSync(envFile, 'utf8')]
    assert.ok([OLD, NEW].includes(text), text)
    assert.ok([off, on].includes(environment), environment)
    for (const name of previous()) assert.equal(readFileSync(join(folder, name), 'utf8'), OLD)
    // The text that visitors accepted is never lost.
    assert.ok(text === OLD || previous().length > 0)
    return `${text === NEW} ${environment === on}`
  }

  const seen = new Set<string>()
  for (let at = 1; ; at++) {
    const edit = { stdin: NEW, env: { KILL_AT_FILE: `${at}` }, nodeOptions: NODE_OPTIONS }
    const { status, stderr } = await gateway.aupProcess(['edit', '--file', '-'], edit)
    seen.add(assertComplete())
    if (status === 0) break
    assert.equal(status, null, stderr)
    assert.ok(at < 30)
    for (const name of previous()) rmSync(join(folder, name))
    writeFileSync(gateway.text, OLD)
    writeFileSync(envFile, off)
  }
  assert.deepEqual([...seen], ['false false', 'true false', 'true true'])

  // The container engine continues although gatewayctl was killed.
  const calls = gateway.calls().length
  assert.equal((await gateway.aup(['disable'])).status, 0)
  const recreation = gateway
    .calls()
    .slice(calls)
    .findIndex((call) => call.includes(' up '))
  assert.ok(recreation > 0)
  for (const at of [recreation, recreation + 2]) {
    const env = { KILL_AT: `${gateway.calls().length + at + 1}` }
    const stdin = `# Killed at ${at}\n`
    assert.equal((await gateway.aupProcess(['edit', '--file', '-'], { stdin, env })).status, null)
    assert.equal(readFileSync(gateway.text, 'utf8'), stdin)
    await until(async () => (await gateway.page())?.includes(stdin.slice(2, -1)) === true, PATIENCE, 50)
    const next = await gateway.aup(['edit', '--file', '-'], { stdin: OLD })
    assert.equal(next.status, 0, next.stderr)
    assert.match((await gateway.page()) ?? '', /Old text/)
  }
  assert.deepEqual(
    gateway.names().filter((name) => /before-gatewayctl$|unfinished$|draft-/.test(name)),
    [],
  )
})
