// The shipped terminator with one worker, in front of a server of this run.
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../test/support/free-port.ts'
import type { MeasuredTarget } from '../test/support/load/load.ts'
import { type Server, startServer } from '../test/support/servers.ts'
import { type BenchEnvironment, folderOf } from './environment.ts'

const SHIPPED = fileURLToPath(new URL('../deploy/terminator', import.meta.url))

let nextFolder = 1

/** @throws {Error} when it does not start */
export async function startTerminator(
  environment: BenchEnvironment,
  upstream: number,
): Promise<{ readonly terminator: Server; readonly tls: NonNullable<MeasuredTarget['tls']> }> {
  const folder = folderOf(environment, `terminator-${nextFolder++}`)
  const copy = join(folder, 'shipped')
  cpSync(SHIPPED, copy, { recursive: true })
  const configuration = readFileSync(join(copy, 'nginx.conf'), 'utf8')
  writeFileSync(join(copy, 'nginx.conf'), configuration.replace(/worker_processes .*;/, 'worker_processes 1;'))
  const httpPort = await freePort()
  const published = join(environment.folder, 'published')
  const terminator = await startServer(
    {
      name: 'the terminator',
      program: join(copy, 'start'),
      words: () => [],
      environment: (port) => ({
        TERMINATOR_PORTAL: `127.0.0.1:${upstream}`,
        TERMINATOR_LEAF: join(published, 'terminator'),
        TERMINATOR_RUN: join(folder, 'run'),
        TERMINATOR_HTTP: `127.0.0.1:${httpPort}`,
        TERMINATOR_HTTPS: `127.0.0.1:${port}`,
        // The load has one address.
        TERMINATOR_UNLIMITED: '127.0.0.0/8',
      }),
    },
    environment.cores,
  )
  return { terminator, tls: { servername: 'portal.example', ca: readFileSync(join(published, 'ca', 'ca.crt')) } }
}
