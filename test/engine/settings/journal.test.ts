// The section [journal], and where the journal is without it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configure, policy } from '../running-engine.ts'

const journalOf = (sections: string) => configure(policy(sections)).journal
const path = (sections: string) => {
  const { location } = journalOf(sections)
  return location.dialect === 'sqlite' ? location.path : location.server.host
}

test('it keeps stopped requests for two weeks and persons for three days, next to the state', () => {
  const { location, ...settings } = journalOf('')
  assert.deepEqual(settings, { days: 14, personDays: 3, hosts: true })
  assert.match(path(''), /\/unused\/engine\/journal\.db$/)
  assert.equal(location.dialect, 'sqlite')
  assert.equal(path('[state]\nurl = "sqlite:////data/engine.db"'), '/data/journal.db')
  assert.equal(path('[state]\nurl = "sqlite://"'), ':memory:')
})

test('engines that share the state share the journal, unless it has its own database', () => {
  const state = '[state]\nurl = "postgresql://engine:password@db.internal/engine"'
  assert.equal(path(state), 'db.internal')
  assert.equal(path(`${state}\n[journal]\nurl = "postgresql://j:p@other.internal/journal"`), 'other.internal')
  assert.equal(path(`${state}\n[journal]\nurl = "sqlite:////data/j.db"`), '/data/j.db')
})

test('mistakes are reported, none with the password', () => {
  const rejected = (keys: string, expected: RegExp) =>
    assert.throws(
      () => journalOf(`[journal]\n${keys}`),
      (error: Error) => {
        assert.match(error.message, expected)
        assert.ok(!error.message.includes('hunter2'))
        return true
      },
    )
  rejected('days = 2', /journal\.person_days must be at most journal\.days/)
  rejected('days = 5\nperson_days = 6', /journal\.person_days must be at most journal\.days/)
  rejected('days = -1', /journal\.days/)
  rejected('days = 4000', /journal\.days/)
  rejected('hosts = "no"', /journal\.hosts/)
  rejected('path = true', /journal.*path/)
  rejected('url = "mysql://u:hunter2@x/y"', /journal\.url/)
  assert.deepEqual([journalOf('[journal]\ndays = 3').personDays, journalOf('[journal]\ndays = 0').days], [3, 0])
})
