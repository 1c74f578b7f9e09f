// The formula of docs/capacity.md, term by term, and the command around it.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { capacityFor, MEASURED, type Site } from '../../src/gatewayctl/portal/capacity/model.ts'
import { gatewayctl } from './gatewayctl.ts'

const document = readFileSync(new URL('../../docs/capacity.md', import.meta.url), 'utf8')
const site: Site = {
  visitors: 3_600_000,
  verdictsPerHour: 10,
  subresourceShare: 0.75,
  acknowledgementsPerDay: 0.5,
  burst: 2,
  retentionDays: 10,
}
const near = (actual: number, expected: number) => assert.ok(Math.abs(actual / expected - 1) < 1e-9, `${actual}`)

test('rates: of the busiest minute', () => {
  const { pages, subresources, acknowledgements, commits } = capacityFor(site)
  near(pages, 5_000)
  near(subresources, 15_000)
  near(acknowledgements, 200)
  near(commits, 400)
})

test('cores, replicas and what comes with them', () => {
  const { portalCores, terminatorCores, replicas, memoryMegabytes, connections } = capacityFor(site)
  near(portalCores, 2 * (5_000 * 110e-6 + 15_000 * 80e-6 + 200 * 6e-3))
  near(terminatorCores, 2 * (5_200 * 500e-6 + 15_000 * 100e-6))
  assert.equal(replicas, Math.ceil(portalCores) + 1)
  assert.equal(memoryMegabytes, replicas * MEASURED.portalMegabytes)
  assert.equal(connections, replicas * 10)
})

test('storage and network', () => {
  const { acceptances, ledgerGigabytes, megabitsPerSecond } = capacityFor(site)
  near(acceptances, 18_000_000)
  near(ledgerGigabytes, (18_000_000 * MEASURED.acceptanceBytes) / 1e9)
  near(megabitsPerSecond, ((5_000 * 12_500 + 15_000 * 1_500) * 8) / 1e6)
})

test('a small site has three replicas all the same', () => {
  const { replicas, used } = capacityFor({ ...site, visitors: 10 })
  assert.equal(replicas, 3)
  assert.ok(used.every(({ share }) => share < 1))
})

test('what is fullest comes first', () => {
  const shares = capacityFor(site).used.map(({ share }) => share)
  assert.deepEqual(
    shares,
    shares.toSorted((a, b) => b - a),
  )
  const hoarding = capacityFor({ ...site, visitors: 1000, acknowledgementsPerDay: 1000, retentionDays: 3650 })
  assert.equal(hoarding.used[0]?.limit, 'a disk of 500 GB for the ledger')
})

for (const visitors of ['1000', '100000', '10000000']) {
  test(`docs/capacity.md shows what the command says for ${visitors} visitors`, async () => {
    const { status, stdout } = await gatewayctl(['portal', 'capacity', '--visitors', visitors])
    assert.equal(status, 0)
    assert.ok(document.includes(`$ gatewayctl portal capacity --visitors ${visitors}\n${stdout}`), stdout)
  })
}

test('as JSON, with what it was reckoned from', async () => {
  const { stdout } = await gatewayctl(['portal', 'capacity', '--visitors', '5', '--burst', '1', '--json'])
  const { site, replicas } = JSON.parse(stdout)
  assert.deepEqual([site.visitors, site.burst, site.retentionDays, replicas], [5, 1, 365, 3])
})

test('what is no number, or cannot be, is refused', async () => {
  for (const words of [
    ['--visitors', 'many'],
    ['--subresource-share', '80'],
    ['--burst', '0'],
    ['--visitors', ''],
  ]) {
    const { status, stderr } = await gatewayctl(['portal', 'capacity', ...words])
    assert.equal(status, 2, words.join(' '))
    assert.match(stderr, /must be a number from/)
  }
})
