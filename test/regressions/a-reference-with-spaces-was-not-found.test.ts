// Seen: a help desk pasted a reference in the groups of four that the page shows, from a mail with non-breaking spaces: "No
// request with this reference is among the last 10,000". Without quotes: "too many arguments". Since references are looked up.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startAdministered } from '../gatewayctl/engine/against-engine.ts'
import { gatewayctl } from '../gatewayctl/gatewayctl.ts'
import { acceptanceRequest, openReplica } from '../ledger/fixture.ts'
import { databases } from '../support/databases.ts'
import { emptyLedger } from '../support/ledgers.ts'

const inGroups = (reference: string, space: string) => (reference.match(/.{1,4}/g) ?? []).join(space)

// As the page, a mail, a word processor and a table cell have it; with an isolate of the page's <bdi>, and zero-width spaces.
const SPACES = [' ', '\u00a0', '\u202f', '\n', '\t', '\u200b', '\u2068']

test('the engine’s `why`, by HTTP and by gatewayctl', async (t) => {
  const engine = await startAdministered(t)
  const reference = String((await engine.decide('https://adult.example/')).json.reference)
  for (const space of SPACES) {
    const given = ` ${inGroups(reference, space)}${space}`
    const { status, json } = await engine.administer('why', { reference: given })
    assert.equal(status, 200, JSON.stringify(given))
    assert.equal((json.stopped as { readonly reference: string }).reference, reference)
    const { stdout, stderr } = await engine.run(['why', '--reference', given])
    assert.match(stdout, /^https:\/\/adult\.example\/ was blocked/, stderr)
  }
})

test('without quotes, and incomplete', async (t) => {
  const engine = await startAdministered(t)
  // None of the groups begins like an option.
  let reference = ''
  do reference = String((await engine.decide('https://adult.example/')).json.reference)
  while (inGroups(reference, ' ').includes(' -'))
  const words = inGroups(reference, ' ').split(' ')
  assert.match((await engine.run(['why', '--reference', ...words])).stdout, /^https:\/\/adult\.example\/ was blocked/)
  const { status, stderr } = await engine.run(['why', '--reference', ...words.slice(1)])
  assert.equal(status, 2)
  assert.match(stderr, /^error: --reference \S{18}: a reference has 22 letters, digits, "-" and "_"; this has 18 char/)
})

test('the portal’s acceptances, also without quotes', async (t) => {
  const location = await emptyLedger(t, databases.find(({ dialect }) => dialect === 'sqlite') ?? assert.fail())
  const reference = '8JN9-hCn_ldSx17RxjAv2g'
  const replica = await openReplica(t, location)
  await replica.completeAttempt(await replica.beginAttempt(acceptanceRequest({ reference })), 302)
  const show = async (...words: readonly string[]) =>
    (await gatewayctl(['portal', 'acceptances', 'show', ...words, '--json'], { ledger: location })).stdout
  for (const words of [...SPACES.map((space) => [inGroups(reference, space)]), inGroups(reference, ' ').split(' ')]) {
    assert.match(await show(...words), new RegExp(`"jti": "${reference}"`), words.join())
  }
})

test('control: a reference in one piece, and one in another case, which is another reference', async (t) => {
  const engine = await startAdministered(t)
  const reference = String((await engine.decide('https://adult.example/')).json.reference)
  assert.equal((await engine.administer('why', { reference })).status, 200)
  const other = reference.replace(/[a-zA-Z]/, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
  const { status, json } = await engine.administer('why', { reference: other })
  assert.equal(status, 404)
  assert.match(JSON.stringify(json), /upper and lower case differ/)
})
