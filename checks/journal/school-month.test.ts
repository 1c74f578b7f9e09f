// A month of a school through a real engine: each request is decided, pages are acknowledged, codes are guessed, hosts are opened;
// then the report states the planted truths, and one person's rows are counted and deleted. One through the tables alone is in test/engine/journal/report.test.ts.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Report } from '../../src/contract/report.ts'
import { NOW, policy, type RunningEngine, startEngine } from '../../test/engine/running-engine.ts'
import {
  CODE,
  MONTH,
  PLANTED,
  SCHOOL_POLICY,
  type SchoolEvent,
  type SchoolRequest,
  schoolMonth,
} from '../../test/support/school-month.ts'
import { schoolTruth } from '../../test/support/school-truth.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'

/** The queue of rows that are not written yet has 20,000. */
const FLUSHED_EVERY = 2_000

test('a month through the engine, and what the report says about it', { timeout: 900_000 }, async (t) => {
  const folder = temporaryFolder(t)
  const at = (name: string) => ({ dialect: 'sqlite', path: join(folder, `${name}.db`) }) as const
  const engine = await startEngine(t, policy(SCHOOL_POLICY.rules, SCHOOL_POLICY.topLevel), {
    files: SCHOOL_POLICY.files,
    location: at('state'),
    journal: at('journal'),
  })
  const events = schoolMonth()
  const truth = schoolTruth(events)
  await live(engine, events)

  const { status, text, json } = await engine.administer('report', { ...MONTH, people: true, top: 100 })
  assert.equal(status, 200, text)
  const report = json as unknown as Report
  assert.deepEqual(report.requests, truth.requests)
  const days = report.days.map(({ date, block, warn, aup }) => [date, block + warn + aup] as const)
  assert.deepEqual(new Map(days.filter(([, stopped]) => stopped > 0)), truth.byDay)
  assert.equal(report.days.find(({ date }) => date === PLANTED.changedClocks.date)?.hours, 23)
  const named = (all: readonly { readonly name: string | null; readonly requests: number }[]) =>
    new Map(all.map(({ name, requests }) => [name, requests]))
  assert.deepEqual(named(report.categories.top), truth.byCategory)
  assert.deepEqual(named(report.rules.top), truth.byRule)
  assert.deepEqual(named(report.lists.top), truth.byList)
  assert.deepEqual(new Map(report.hosts.map(({ host, requests }) => [host, requests])), truth.byHost)
  assert.deepEqual(named(report.people?.users ?? []), truth.byUser)
  assert.deepEqual(named(report.people?.groups ?? []), truth.byGroup)
  const begins = Temporal.PlainDateTime.from(PLANTED.busiest.at).toZonedDateTime(report.period.timezone)
  assert.equal(report.busiest?.hour, begins.toInstant().toString())

  const accepted = new Map(report.acknowledgements.rules.map(({ rule, accepted }) => [rule, accepted]))
  assert.deepEqual(accepted, truth.acceptedBy)
  assert.equal(report.acknowledgements.rejected, truth.wrongCodes)
  assert.equal(report.acknowledgements.locked_out, truth.lockouts)
  const { host, times } = PLANTED.permitted
  assert.deepEqual(
    report.permissions.hosts.map(({ host, granted }) => ({ host, granted })),
    [{ host, granted: times }],
  )
  assert.deepEqual(report.switches, [{ switch: 'exam', on: truth.switchedOn, off: 0 }])
  const [cause] = report.over_blocking.causes
  assert.deepEqual([cause?.rule, cause?.list, cause?.permissions], ['broad', PLANTED.list, times])
  const [doubtful] = report.over_blocking.lists
  assert.equal(doubtful?.list, PLANTED.list)
  assert.deepEqual(doubtful.hosts.map(({ host }) => host).sort(), ['museum.example', 'pictures.museum.example'])

  const [[user, stops]] = [...truth.byUser].sort(([, one], [, other]) => other - one) as [[string, number]]
  const stopsOf = async () => {
    const { json } = await engine.administer('privacy/count', { user })
    return (json as { rows: { stops: number } }).rows.stops
  }
  assert.equal(await stopsOf(), stops, `rows about ${user}`)
  assert.equal((await engine.administer('privacy/delete', { user, by: 'Ms Rossi' })).status, 200)
  assert.equal(await stopsOf(), 0)
  const { json: after } = await engine.administer('report', { ...MONTH, people: true, top: 100 })
  const { requests, people } = after as unknown as Report
  assert.deepEqual(requests, truth.requests, 'totals name nobody, and stay')
  assert.deepEqual(named(people?.users ?? []), new Map([...truth.byUser].filter(([name]) => name !== user)))
})

/** In order, with the engine's clock at each event. */
async function live(engine: RunningEngine, events: readonly SchoolEvent[]): Promise<void> {
  let now = NOW * 1000
  const passTo = (at: number) => {
    if (at > now) engine.pass((at - now) / 1000)
    now = Math.max(now, at)
  }
  for (const [index, event] of events.entries()) {
    passTo(event.at)
    if (event.kind === 'request') await visit(engine, event, (milliseconds) => passTo(now + milliseconds))
    else if (event.kind === 'permission') {
      const { host, minutes } = event
      const { status, text } = await engine.administer('permissions/allow', { host, minutes, by: 'Ms Rossi' })
      assert.equal(status, 200, text)
    } else {
      const scope = { switch: 'exam', everyone: true, minutes: event.minutes, by: 'Ms Rossi' }
      assert.equal((await engine.administer('switches/on', scope)).status, 200)
    }
    if (index % FLUSHED_EVERY === 0) await engine.journal?.flush()
  }
  await engine.journal?.flush()
}

async function visit(
  engine: RunningEngine,
  request: SchoolRequest,
  pass: (milliseconds: number) => void,
): Promise<void> {
  const { host, client, user, stop, acts } = request
  const { json } = await engine.decide(`https://${host}/page`, client, user)
  assert.equal(json.verdict, stop?.verdict ?? 'allow', JSON.stringify(request))
  if (acts.length === 0) return
  const query = new URL(String(json.redirect)).search.slice(1)
  for (const [index, act] of acts.entries()) {
    pass(1)
    // The same code again would be the same attempt, repeated.
    const code = act === 'guesses' ? `00000${index}` : stop?.rule === 'videos' ? CODE : undefined
    const { status } = await engine.acknowledge(query, code)
    assert.equal(status === 302, act === 'continues', JSON.stringify(request))
  }
}
