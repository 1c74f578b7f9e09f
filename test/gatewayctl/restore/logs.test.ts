// The settings of logs, from the script that the nightly backup runs, to a restored machine.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import { inReverse } from '../../support/cleanup.ts'
import { hasCommand, skipUnless } from '../../support/requirement.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { createArchive, createKey, manifest, skipWithoutAge } from './backup.ts'
import { createMachine, ENGINE, KEPT, ON } from './machine.ts'

const LOGS = {
  'etc/systemd/journald.conf.d/gateway.conf': '[Journal]\nMaxRetentionSec=14day\n',
  'etc/rsyslog.d/gateway.conf': readFileSync('deploy/observability/rsyslog.conf', 'utf8'),
  'etc/logrotate.d/gateway': readFileSync('deploy/observability/logrotate', 'utf8'),
  'etc/logrotate.d/gateway-proxy': readFileSync('deploy/observability/logrotate-proxy', 'utf8'),
}

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content, { mode: 0o644 })
  }
}

describe('the settings of logs', { skip: skipWithoutAge }, () => {
  const key = skipWithoutAge ? { file: '', recipient: '' } : createKey(inReverse({ after }))

  /** What the nightly backup of a machine with these files writes. */
  function backUp(t: TestContext, files: Readonly<Record<string, string>>): string {
    const [root, copies, home] = [temporaryFolder(t), temporaryFolder(t), temporaryFolder(t)]
    write(root, { ...ENGINE, ...files, 'etc/gateway/backup.recipients': `${key.recipient}\n` })
    mkdirSync(join(home, 'deploy/backup'), { recursive: true })
    copyFileSync('package.json', join(home, 'package.json'))
    const script = readFileSync('deploy/backup/archive', 'utf8')
      .replace('=/etc/gateway/', `=${root}/etc/gateway/`)
      .replace('\ncd /\n', `\ncd ${root}\n`)
      .replace(' -C / ', ` -C ${root} `)
    const program = join(home, 'deploy/backup/archive')
    writeFileSync(program, script, { mode: 0o755 })
    const folders = ['etc/gateway', 'var/lib/gateway-engine', 'var/lib/gateway-lists', 'var/lib/gateway-groups']
    const BACKUP_FOLDER = join(root, 'backups')
    execFileSync(program, ['engine', copies, 'var/lib/gateway-engine/engine', ...folders], {
      env: { PATH: process.env.PATH, BACKUP_FOLDER, BACKUP_COUNT: '1' },
    })
    return join(BACKUP_FOLDER, `${readdirSync(BACKUP_FOLDER)[0]}`)
  }

  test('are backed up, restored, and used; what was there is kept, and not read', async (t) => {
    const archive = backUp(t, { ...LOGS, 'etc/logrotate.d/other': 'theirs', 'etc/rsyslog.d/other.conf': 'theirs' })
    const machine = createMachine(t)
    const before = { 'etc/logrotate.d/gateway': LOGS['etc/logrotate.d/gateway'], 'etc/logrotate.d/dpkg': '' }
    write(machine.root, before)
    const { stdout } = await machine.run([archive], key.file)
    for (const [path, content] of Object.entries(LOGS)) assert.equal(machine.read(path), content, path)
    assert.match(stdout, /^restarts +systemd-journald\.service, rsyslog\.service$/m)
    const changes = machine.changes().filter((change) => change.startsWith('try-restart'))
    assert.deepEqual(changes, ['try-restart systemd-journald.service', 'try-restart rsyslog.service'])
    assert.deepEqual(readdirSync(join(machine.root, 'etc/logrotate.d')).toSorted(), [
      ...['dpkg', 'gateway', 'gateway-proxy'],
      `gateway${KEPT}.disabled`,
    ])
    assert.ok(!existsSync(join(machine.root, 'etc/rsyslog.d/other.conf')))
  })

  test('of which logrotate reads none that a restore has replaced', {
    skip: skipUnless(hasCommand('logrotate'), 'needs logrotate: apt-get install logrotate'),
  }, (t) => {
    const folder = temporaryFolder(t)
    const settings = LOGS['etc/logrotate.d/gateway']
      .replaceAll('/var/log/gateway', folder)
      .replace(/create .*/, 'create')
    const read = (kept: string) => {
      const included = join(temporaryFolder(t), 'logrotate.d')
      write(included, { gateway: settings, [kept]: settings })
      writeFileSync(`${included}.conf`, `include ${included}\n`, { mode: 0o644 })
      const words = ['--debug', '--state', join(folder, 'state'), `${included}.conf`]
      try {
        return execFileSync('sh', ['-c', 'exec "$0" "$@" 2>&1', 'logrotate', ...words], { encoding: 'utf8' })
      } catch (error) {
        return `${(error as { stdout: string }).stdout}`
      }
    }
    assert.doesNotMatch(read(`gateway${KEPT}.disabled`), /duplicate/)
    assert.match(read(`gateway${KEPT}`), /duplicate/, 'control')
  })

  test('without the programs that read them, and without a limit, are named', async (t) => {
    const machine = createMachine(t)
    write(machine.root, { 'var/log/journal/id/system.journal': '' })
    const run = async (files: Readonly<Record<string, string>>) => {
      const { stdout } = await machine.run(
        [createArchive(t, key, 'engine', { files: { ...ENGINE, ...files } })],
        key.file,
      )
      return stdout
        .replaceAll(/\n {4,}(?=\S)/g, ' ')
        .split('\n')
        .filter((line) => line.startsWith('logs '))
    }
    const named = await run(LOGS)
    assert.match(
      `${named}`,
      /failing +nothing reads \/etc\/rsyslog\.d\/gateway\.conf: \/usr\/sbin\/rsyslogd is missing to do: apt-get install rsyslog/,
    )
    assert.match(`${named}`, /failing +nothing reads \/etc\/logrotate\.d\/gateway: .* apt-get install logrotate/)
    assert.equal(named.length, 2)
    write(machine.root, { 'usr/sbin/rsyslogd': '', 'usr/sbin/logrotate': '' })
    assert.deepEqual(await run(LOGS), [])
    // As in an archive of an earlier version.
    const bare = createMachine(t)
    write(bare.root, { 'var/log/journal/id/system.journal': '' })
    const files = { ...ENGINE, 'gateway-backup': manifest({ enabled: ON.join(' ') }) }
    const { stdout } = await bare.run([createArchive(t, key, 'engine', { files })], key.file)
    assert.match(
      stdout,
      /^logs +warning +systemd's journal keeps the log of portal and engine without a limit in time\n.*to do: mkdir -p \/etc\/systemd\/journald\.conf\.d; printf/m,
    )
  })
})
