// Stories of the nightly backup; each test or suite is one.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { byteSource } from '../../src/archive/byte-source.ts'
import { tarMembers } from '../../src/archive/tar.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Runs deploy/backup/archive below a folder, with an `age` that encrypts nothing. */
function archiver(t: TestContext, backups = 'backups') {
  const root = temporaryFolder(t)
  for (const folder of ['copies', backups, 'etc', 'bin']) mkdirSync(join(root, folder))
  const program = (name: string, script: string) =>
    writeFileSync(join(root, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  program('age', 'for last; do :; done; cat >"$last"')
  writeFileSync(join(root, 'etc/recipients'), 'age1…')
  const script = readFileSync('deploy/backup/archive', 'utf8')
    .replace('=/etc/gateway/backup.recipients', `=${root}/etc/recipients`)
    .replace('\ncd /\n', `\ncd ${root}\n`)
    .replace(' -C / ', ` -C ${root} `)
  const run = () =>
    execFileSync('bash', ['-c', script, 'deploy/backup/archive', 'engine', join(root, 'copies'), 'var/lib/x', 'etc'], {
      env: { PATH: `${root}/bin:${process.env.PATH}`, BACKUP_FOLDER: join(root, backups), BACKUP_COUNT: '2' },
    })
  return { root, program, run, folder: join(root, backups), archives: () => readdirSync(join(root, backups)) }
}

// The backup runs as root, and gave tar the names of the copies, in a folder of the engine's user: with one that begins with
// `--checkpoint-action=exec=`, that user ran a program as root. Since the first backup.
test('a name of a copy was an option of tar; control: it is archived, with the others', (t) => {
  const { root, program, run, folder, archives } = archiver(t)
  program('pwn', `touch ${root}/pwned`)
  const hostile = '--checkpoint-action=exec=pwn;.db'
  writeFileSync(join(root, 'copies', hostile), '')
  // tar runs it after a hundred kilobytes.
  writeFileSync(join(root, 'copies', 'state.db'), Buffer.alloc(2 ** 20))
  run()
  assert.ok(!existsSync(join(root, 'pwned')))
  const names = execFileSync('tar', ['-tzf', join(folder, archives()[0] ?? '')], { encoding: 'utf8' }).split('\n')
  for (const name of ['gateway-backup', 'var/lib/x/state.db', hostile, 'etc/recipients']) {
    assert.ok(names.includes(name), `${name}: ${names}`)
  }
})

// With a space in BACKUP_FOLDER, the job failed from the night on in which an archive was to be deleted, and none was. Since the
// first backup.
test('a folder with a space kept every archive', (t) => {
  const { run, folder, archives } = archiver(t, 'my backups')
  for (const night of ['20261120', '20261121', '20261122']) {
    writeFileSync(join(folder, `gateway-engine-${night}T032900Z.tar.gz.age`), '')
  }
  run()
  assert.equal(archives().length, 2)
  assert.ok(archives().includes('gateway-engine-20261122T032900Z.tar.gz.age'))
})

// SQLite began the copy of a database again with each write to it. An engine writes every second: above some hundred megabytes
// there was no backup at all. Since the journal is copied.
test('a database that is written to is copied all the same', async (t) => {
  const folder = temporaryFolder(t)
  const [from, to] = [join(folder, 'journal.db'), join(folder, 'copy.db')]
  const database = new DatabaseSync(from)
  t.after(() => database.close())
  database.exec('pragma journal_mode = wal; create table row (bytes blob)')
  const insert = database.prepare('insert into row values (zeroblob(?))')
  for (let megabyte = 0; megabyte < 60; megabyte++) insert.run(2 ** 20)
  const writing = setInterval(() => insert.run(1), 5)
  t.after(() => clearInterval(writing))
  const child = spawn(process.execPath, ['deploy/backup/copy-sqlite.mjs', from, to], { stdio: 'inherit' })
  t.after(() => child.kill('SIGKILL'))
  const [status] = await once(child, 'exit', { signal: AbortSignal.timeout(20_000) })
  assert.equal(status, 0)
  const copy = new DatabaseSync(to, { readOnly: true })
  t.after(() => copy.close())
  assert.ok(Number(copy.prepare('select count(*) as rows from row').get()?.rows) >= 60)
})

// GNU tar writes a size from 8 GiB on in another form, which was "damaged": with such a database, nothing of the archive could be
// restored. Since the first restore.
test('a large file made an archive that no restore accepted', async () => {
  const header = Buffer.alloc(512)
  header.write('var/lib/x/journal.db')
  header.write('0000600\0', 100)
  header[124] = 0x80
  header.writeBigUInt64BE(9n * 2n ** 30n, 128)
  header.write('0ustar  \0', 156)
  header.write('        ', 148)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  const members = tarMembers(byteSource(Readable.from([header])))
  const { value } = await members.next()
  assert.deepEqual([value?.name, value?.isFile], ['var/lib/x/journal.db', true])
  await assert.rejects(members.next(), /the archive is cut/)
})
