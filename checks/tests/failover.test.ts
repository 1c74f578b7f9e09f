// What docs/scaling.md promises about a read-only standby.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openPruner } from '../../src/gatewayctl/portal/acceptances/ledger/pruning.ts'
import { openLedger } from '../../src/ledger/ledger.ts'
import { gatewayctl } from '../../test/gatewayctl/gatewayctl.ts'
import { acceptanceRequest, assertUnavailable, NOW, openReplica, storedAcceptance } from '../../test/ledger/fixture.ts'
import { noPostgres, type PostgresServer, postgresLocation, startPostgres } from '../../test/support/postgres-server.ts'
import { until } from '../../test/support/until.ts'

const locationOf = ({ url }: PostgresServer) => postgresLocation(url)

async function startServer(t: TestContext, standbyOf?: PostgresServer): Promise<PostgresServer> {
  // With fsync: the test is about durability.
  const server = await startPostgres({}, standbyOf)
  t.after(() => server.remove())
  return server
}

test('gatewayctl reads a standby, and nothing writes to it', { skip: noPostgres, timeout: 120_000 }, async (t) => {
  const primary = await startServer(t)
  const writing = await openReplica(t, locationOf(primary))
  const standby = await startServer(t, primary)
  // The primary was restarted for the copy.
  await writing.ping().catch(() => {})
  const request = acceptanceRequest()
  const text = { sha256: request.documentSha256, text: 'test', mediaType: 'text/plain', locale: 'de' }
  await writing.keepDocument(text)
  await writing.completeAttempt(await writing.beginAttempt(request), 302)
  const location = locationOf(standby)
  await until(async () => (await storedAcceptance(location, request.reference))?.state === 'accepted', 20, 50)

  const options = ['--database-url', standby.url]
  const shown = await gatewayctl(['portal', 'acceptances', 'show', request.reference, ...options])
  assert.equal(shown.status, 0, shown.stderr)
  assert.match(shown.stdout, /^state +accepted$/m)
  const exported = await gatewayctl(['portal', 'acceptances', 'export', '--format', 'jsonl', '--attempts', ...options])
  assert.equal(exported.status, 0, exported.stderr)
  assert.equal(JSON.parse(exported.stdout).attempt_records.length, 1)

  const pruner = await openPruner(location, Date.now)
  t.after(() => pruner.close())
  await assertUnavailable(Array.fromAsync(pruner.prune(new Date(NOW + 1).toISOString())), /read-only|during recovery/)
  await assertUnavailable(openLedger(location, { clock: () => NOW, migrate: true }), /read-only|during recovery/)
})
