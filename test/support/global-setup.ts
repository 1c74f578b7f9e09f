// Before the test files of `npm test`: one PostgreSQL server for all that do not need their own (databases.ts).
import { noPostgres, type PostgresServer, startPostgres } from './postgres-server.ts'

let server: PostgresServer | undefined

export async function globalSetup(): Promise<void> {
  if (noPostgres) return
  server = await startPostgres()
  process.env.SHARED_POSTGRES = server.url
}

export async function globalTeardown(): Promise<void> {
  await server?.remove()
}
