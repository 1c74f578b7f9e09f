// Debian's PgBouncer in transaction mode in front of a PostgreSQL server, on loopback.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Cleanup, inReverse } from './cleanup.ts'
import { freePort } from './free-port.ts'
import { queryPostgres, unprivilegedUser } from './postgres-server.ts'
import { skipUnless } from './requirement.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { until } from './until.ts'

const PROGRAM = '/usr/sbin/pgbouncer'

export const skipWithoutPgbouncer = skipUnless(existsSync(PROGRAM), 'needs PgBouncer: apt-get install pgbouncer')

/**
 * Transactions share the server's sessions, which are fewer than a portal's connections.
 * @returns the URL of the same database through PgBouncer
 */
export async function startPgbouncer(test: Cleanup, serverUrl: string): Promise<string> {
  const t = inReverse(test)
  const folder = temporaryFolder(t)
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
  const child = spawn(PROGRAM, [file], { ...user, stdio: ['ignore', 'ignore', 'pipe'] })
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const ended = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const url = new URL(serverUrl)
  url.port = `${port}`
  const answers = () => queryPostgres(url.href, 'select 1').catch(() => false)
  await until(async () => (await answers()) || child.exitCode !== null, 20)
  if (child.exitCode !== null) throw new Error(`PgBouncer does not start:\n${errors}`)
  return url.href
}
