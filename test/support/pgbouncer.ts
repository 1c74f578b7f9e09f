// Debian's PgBouncer in transaction mode before a PostgreSQL server, on loopback.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cleanup } from './cleanup.ts'
import { freePort } from './free-port.ts'
import { queryPostgres, unprivilegedUser } from './postgres-server.ts'
import { skipUnless } from './requirement.ts'

const PLACE = '/usr/sbin/pgbouncer'

export const skipWithoutPgbouncer = skipUnless(existsSync(PLACE), 'needs PgBouncer: apt-get install pgbouncer')

/**
 * Gives the same database's URL through it. Every session of the server is shared by transactions, and there are fewer
 * of them than a portal has connections.
 */
export async function startPgbouncer(t: Cleanup, serverUrl: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-test-'))
  const server = new URL(serverUrl)
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(join(folder, 'users'), `"${server.username}" "${server.password}"\n`)
  const settings = [
    '[databases]',
    `* = host=${server.hostname} port=${server.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = scram-sha-256',
    `auth_file = ${join(folder, 'users')}`,
    'pool_mode = transaction',
    'default_pool_size = 4',
    'max_client_conn = 200',
  ]
  writeFileSync(file, `${settings.join('\n')}\n`)
  const user = unprivilegedUser()
  if ('uid' in user) for (const path of [folder, file, join(folder, 'users')]) chownSync(path, user.uid, user.gid)
  let errors = ''
  const child = spawn(PLACE, [file], { ...user, stdio: ['ignore', 'ignore', 'pipe'] })
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const ended = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  const url = new URL(serverUrl)
  url.port = `${port}`
  for (const deadline = Date.now() + 20_000; ; await sleep(50)) {
    if (await queryPostgres(url.href, 'select 1').catch(() => undefined)) return url.href
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`PgBouncer does not start:\n${errors}`)
  }
}
