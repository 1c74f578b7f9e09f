// The script of docs/journal.md that mails the report each week, with a gatewayctl and a sendmail that write files.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { blocksRunBy } from '../../deploy/command-blocks.ts'
import { skipWithoutLinux } from '../../support/requirement.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('docs/journal.md: the report of the week is mailed as it is, and nothing is, or stays, after a failure', {
  skip: skipWithoutLinux,
}, (t) => {
  const folder = temporaryFolder(t)
  const [block, ...others] = blocksRunBy(import.meta.filename, 'docs/journal.md')
  assert.deepEqual(others, [])
  for (const name of ['bin', 'etc/cron.weekly', 'tmp']) mkdirSync(join(folder, name), { recursive: true })
  const program = (name: string, script: string) =>
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  // Long, so that base64 has many lines.
  const page = `<!doctype html><p>Größe${' été'.repeat(2_000)}`
  writeFileSync(join(folder, 'page'), page)
  const [mail, temporary] = [join(folder, 'mail'), join(folder, 'tmp')]
  program('gatewayctl', `[ "$*" = "report --since 7d --html $5" ] && cp '${join(folder, 'page')}' "$5"`)
  program('sendmail', `[ "$*" = -t ] && cat > '${mail}'`)
  const env = { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, TMPDIR: temporary }
  const run = (text: string) => spawnSync('/bin/sh', ['-ec', text], { env, encoding: 'utf8' })
  const text = String(block?.text).replaceAll('/etc/cron.weekly', join(folder, 'etc/cron.weekly'))
  const sent = run(text)
  assert.deepEqual([sent.status, sent.stdout, sent.stderr], [0, '', ''])
  const [head = '', body = ''] = readFileSync(mail, 'utf8').split('\n\n')
  assert.deepEqual(
    head.split('\n').map((line) => line.split(':')[0]),
    ['To', 'Subject', 'MIME-Version', 'Content-Type', 'Content-Disposition', 'Content-Transfer-Encoding'],
  )
  assert.ok(body.split('\n').every(({ length }) => length <= 76))
  assert.equal(Buffer.from(body, 'base64').toString(), page)

  writeFileSync(mail, '')
  program('gatewayctl', 'exit 1')
  assert.equal(run(text).status, 1)
  assert.equal(readFileSync(mail, 'utf8'), '')
  assert.deepEqual(readdirSync(temporary), [])
})
