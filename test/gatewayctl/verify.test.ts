// `portal acceptances heads` and `verify`: what they print, and their exit codes. What is found in either database is in
// test/ledger/heads/appending.test.ts.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { HOUR, startPortal } from '../ledger/heads/fixture.ts'
import { databases, query } from '../support/databases.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { gatewayctl } from './gatewayctl.ts'

const HEADS = ['portal', 'acceptances', 'heads']
const sqlite = databases.find(({ dialect }) => dialect === 'sqlite') ?? assert.fail()
const VERIFY = ['portal', 'acceptances', 'verify']

test('heads are printed, exported, and verified against', async (t) => {
  const ledger = await sqlite.create(t)
  const portal = await startPortal(t, ledger)
  const reference = 'a'.repeat(22)
  const { id } = await portal.record(302, { reference })
  await portal.append()
  portal.time += HOUR
  await portal.record(403)
  await portal.append()
  const surroundings = { ledger, clock: () => portal.time }
  const printed = await gatewayctl(HEADS, surroundings)
  assert.equal(printed.status, 0)
  assert.match(printed.stdout, /^at +size +number +portal +root\n(2026-11-20T1[23]\S+ +1 +[12] .*\n){2}$/)
  assert.equal(printed.stderr, `Public key: ${portal.signer.key}\n`)
  const recent = await gatewayctl([...HEADS, '--json', '--since', '30m'], surroundings)
  assert.equal(recent.stdout.trim().split('\n').length, 1)

  const { stdout } = await gatewayctl([...HEADS, '--json'], surroundings)
  const file = join(temporaryFolder(t), 'heads.jsonl')
  // As journald or a container's log may have them.
  writeFileSync(
    file,
    `starting\n${stdout.replaceAll('{"event"', 'portal-1  | {"level":30,"event"')}{"event":"request"}\n`,
  )
  const fine = await gatewayctl([...VERIFY, '--heads', file], { ledger })
  assert.deepEqual([fine.status, fine.stderr], [0, ''])
  assert.match(
    fine.stdout,
    /^heads +2 of 1 portal starts, 2 exported\ncovered +2 attempts, up to 2026-11-20T13:\S+\nnot yet +0 /,
  )

  await query(ledger, `update attempt set engine_status = 403 where id = '${id}'`)
  const tampered = await gatewayctl([...VERIFY, '--heads', file], { ledger })
  assert.equal(tampered.status, 1)
  assert.match(
    tampered.stderr,
    new RegExp(
      `^error: the ledger was tampered with; the first attempt is ${id} \\(.*, jti ${reference}\\): changed: `,
    ),
  )
  const asJson = await gatewayctl([...VERIFY, '--json'], { ledger })
  assert.equal(asJson.status, 1)
  assert.equal(JSON.parse(asJson.stdout).first.id, id)
})

test('a damaged or empty file of heads, and a ledger that cannot be read: exit code 2', async (t) => {
  const ledger = await sqlite.create(t)
  const portal = await startPortal(t, ledger)
  await portal.append()
  const file = join(temporaryFolder(t), 'heads.jsonl')
  const { stdout } = await gatewayctl([...HEADS, '--json'], { ledger })
  for (const [content, message] of [
    [stdout.replace('"size":0', '"size":1'), /has a head in line 1 that is damaged, or was changed/],
    [stdout.slice(0, -9), /has a head in line 1 that is damaged/],
    ['{}\n', /has no heads/],
  ] as const) {
    writeFileSync(file, content)
    const { status, stderr } = await gatewayctl([...VERIFY, '--heads', file], { ledger })
    assert.equal(status, 2)
    assert.match(stderr, message)
  }
  const missing = await gatewayctl([...VERIFY, '--heads', `${file}x`], { ledger })
  assert.deepEqual([missing.status, /cannot be read/.test(missing.stderr)], [2, true])
  await query(ledger, 'drop table ledger_leaf')
  const unreadable = await gatewayctl(VERIFY, { ledger })
  assert.deepEqual([unreadable.status, /^error: the ledger could not /.test(unreadable.stderr)], [2, true])
})
