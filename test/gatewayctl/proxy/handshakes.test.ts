// `gatewayctl proxy handshakes`: what is proposed, what is not, and why nothing is known.
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Handshake } from '../../../src/proxy/handshakes/handshake-line.ts'
import { createHandshakes } from '../../../src/proxy/handshakes/handshakes.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { gatewayctl } from '../gatewayctl.ts'

const NOW = Date.parse('2026-11-26T08:00:00Z')

type Records = readonly (readonly [Handshake['outcome'], string, ...number[]])[]
const TRUSTING: Records = [['used', 'news.example', 1, 2, 3]]

/** The proxy's folders, with the counts of these records. */
function machine(t: TestContext, records: Records, exempt?: string) {
  const folder = temporaryFolder(t)
  const [run, published] = [join(folder, 'run'), join(folder, 'published')]
  mkdirSync(run)
  mkdirSync(join(published, 'proxy'), { recursive: true })
  if (exempt !== undefined) writeFileSync(join(published, 'proxy', 'exempt-hosts'), exempt)
  const handshakes = createHandshakes(() => NOW)
  for (const [outcome, host, ...clients] of records) {
    for (const client of clients) handshakes.record({ outcome, host, client: `192.0.2.${client}` })
  }
  const file = join(run, 'handshakes.json')
  writeFileSync(file, JSON.stringify(handshakes.report()))
  const env = { GATEWAY_HOME: folder, PROXY_RUN: run, PROXY_PUBLISHED: published }
  const show = (clock: number, ...options: readonly string[]) =>
    gatewayctl(['proxy', 'handshakes', ...options], { env, clock: () => clock })
  return { file, show: (...options: readonly string[]) => show(NOW, ...options), showAt: show }
}

test('a host that several trusting clients give up, and none uses, is proposed', async (t) => {
  const records: Records = [
    ...TRUSTING,
    ['broken-off', 'pinned.example', 1, 2, 3],
    ['broken-off', 'few.example', 1, 2],
    ['broken-off', 'strangers.example', 1, 2, 7, 8, 9],
    ['broken-off', 'works.example', 1, 2, 3],
    ['used', 'works.example', 4],
  ]
  const { show } = machine(t, records, '')
  const { stdout, status } = await show()
  assert.equal(status, 0)
  assert.match(stdout, /^host +broke_off +silent +trusting +used +exempt +last_at\n/)
  assert.match(stdout, /^pinned\.example +3 +0 +3 +no +no +2026-11-26T08:00:00\.000Z$/m)
  assert.match(stdout, /^works\.example +3 +0 +3 +yes +no /m)
  assert.match(stdout, /\n\[inspection\]\nexempt = \[\n {2}"pinned\.example",\n\]\n$/)
  assert.match(stdout, /3 clients broke off handshakes and sent no request to any host\./)
  const { hosts } = JSON.parse((await show('--json')).stdout) as { hosts: { host: string; proposed: boolean }[] }
  assert.deepEqual(
    hosts.map(({ host, proposed }) => `${host} ${proposed}`),
    ['pinned.example true', 'strangers.example false', 'few.example false', 'works.example false'],
  )
})

test('what is exempt already, itself or with the domain above, is not proposed again', async (t) => {
  const records: Records = [
    ...TRUSTING,
    ['broken-off', 'api.bank.example', 1, 2, 3],
    ['broken-off', 'own.example', 1, 2, 3],
  ]
  const { stdout } = await machine(t, records, '.bank.example\nown.example\n').show()
  assert.match(stdout, /^api\.bank\.example +3 +0 +3 +no +yes /m)
  assert.match(stdout, /^own\.example +3 +0 +3 +no +yes /m)
  assert.doesNotMatch(stdout, /\[inspection\]/)
})

test('without the list of what is exempt, it says so; a copy from another machine is shown, too', async (t) => {
  const { file, show } = machine(t, [...TRUSTING, ['broken-off', 'pinned.example', 1, 2, 3]])
  const env = { GATEWAY_HOME: join(file, '..') }
  const copy = await gatewayctl(['proxy', 'handshakes', '--file', file], { env, clock: () => NOW })
  assert.match(copy.stdout, /"pinned\.example",\n\]\n$/)
  assert.match((await show()).stdout, /What is already exempt is not known here: there is no file .*exempt-hosts/)
  assert.equal('exempt' in JSON.parse((await show('--json')).stdout).hosts[0], false)
})

test('nothing to report, and a proxy that does not run', async (t) => {
  const { showAt } = machine(t, [], '')
  assert.match(
    (await showAt(NOW + 60_000)).stdout,
    /^No client has given up a handshake since 2026-11-26T08:00:00\.000Z\.\n$/,
  )
  assert.match((await showAt(NOW + 600_000)).stdout, /: the proxy does not run, or this is a copy\.\n$/)
})

test('no file, no permission, and a file that the proxy did not write', async (t) => {
  const { file, show } = machine(t, [], '')
  rmSync(file)
  const missing = await show()
  assert.equal(missing.status, 1)
  assert.match(
    missing.stderr,
    /there is no file .*handshakes\.json: run this on the machine of a proxy that has started/,
  )
  mkdirSync(file)
  assert.match((await show()).stderr, /handshakes\.json cannot be read \(.*\): run this as root/)
  rmSync(file, { recursive: true })
  const host = { broke_off: 3, silent: 0, trusting: 3, used: false, last_at: '2026-11-26T08:00:00.000Z' }
  const report = { since: '2026-11-26T08:00:00.000Z', at: '2026-11-26T08:00:00.000Z', untrusting: 0 }
  for (const name of ['a"]\n[audit', '\u001b[2Jx.example', '*', '.bank.example', '192.0.2.7', 'UPPER.example', '']) {
    writeFileSync(file, JSON.stringify({ ...report, hosts: [{ ...host, host: name }] }))
    const { stderr, stdout } = await show()
    assert.deepEqual([stdout, /is not what a proxy of this version writes/.test(stderr)], ['', true], name)
  }
  writeFileSync(file, '{')
  assert.match((await show()).stderr, /is not what a proxy of this version writes/)
})
