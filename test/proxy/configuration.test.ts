// Squid's configuration on the disk: what cannot be written, or is not accepted, leaves the one in force as it is; the one before
// stays until the next change, because Squid may still be reading it.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createConfigurations } from '../../src/proxy/squid/configuration.ts'
import type { SquidProgram } from '../../src/proxy/squid/squid-program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** A Squid that accepts each configuration but one that contains "bad", and a run folder. */
function setUp(t: TestContext) {
  const folder = temporaryFolder(t)
  const script = '#!/bin/sh\nif grep -q bad "$4"; then echo "2026/11/26 08:00:00| FATAL: Bungled"; exit 1; fi\n'
  writeFileSync(join(folder, 'squid'), script, { mode: 0o755 })
  const program: SquidProgram = {
    ...{ version: '6.13', certificateGenerator: '', errorTemplates: '' },
    env: { PATH: `${folder}:${process.env.PATH}` },
  }
  const run = join(folder, 'run')
  mkdirSync(join(run, 'configuration.7'), { recursive: true })
  return { run, configurations: createConfigurations(run, program) }
}

const files = (text: string) => () => ({ 'squid.conf': text, 'icap-authorities.pem': '' })

test('each in its own folder; that of a previous process is removed, the one before stays', async (t) => {
  const { run, configurations } = setUp(t)
  for (const text of ['first', 'second', 'third']) {
    assert.equal(await configurations.prepare(files(text)), undefined)
    configurations.activate()
    assert.equal(readFileSync(configurations.path, 'utf8'), text)
  }
  assert.deepEqual(readdirSync(run).toSorted(), ['configuration.1', 'configuration.2', 'squid.conf'])
})

test('what Squid does not accept, or cannot be written, leaves the one in force', async (t) => {
  const { run, configurations } = setUp(t)
  await configurations.prepare(files('first'))
  configurations.activate()
  assert.equal(await configurations.prepare(files('bad')), 'FATAL: Bungled')
  assert.equal(readFileSync(configurations.path, 'utf8'), 'first')
  rmSync(`${configurations.path}.new`)
  mkdirSync(`${configurations.path}.new/in the way`, { recursive: true })
  assert.match(
    `${await configurations.prepare(files('second'))}`,
    /configuration\.1 cannot be written: the system reports E/,
  )
  rmSync(`${configurations.path}.new`, { recursive: true })
  assert.equal(readFileSync(configurations.path, 'utf8'), 'first')
  rmSync(run, { recursive: true })
  assert.match(`${await configurations.prepare(files('third'))}`, /cannot be written: the system reports ENOENT/)
})
