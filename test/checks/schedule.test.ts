import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closedLoop, constantRate, type Schedule } from '../support/load/schedule.ts'

function takeAll(schedule: Schedule, now: number): number[] {
  const moments: number[] = []
  for (let meant = schedule.take(now); meant !== undefined; meant = schedule.take(now)) moments.push(meant)
  return moments
}

test('in a closed loop a request is due whenever a connection is free, until the time is over', () => {
  const schedule = closedLoop(1000, 2)
  assert.equal(schedule.take(1000), 1000)
  assert.equal(schedule.take(2999), 2999)
  assert.equal(schedule.isOver(2999), false)
  assert.equal(schedule.take(3000), undefined)
  assert.equal(schedule.isOver(3000), true)
})

test('at a constant rate no request is sent before its scheduled time', () => {
  const schedule = constantRate(1000, 1, 10)
  assert.deepEqual(takeAll(schedule, 1000), [1000])
  assert.deepEqual(takeAll(schedule, 1099), [])
  assert.deepEqual(takeAll(schedule, 1100), [1100])
})

test('a late caller gets every scheduled time that has passed', () => {
  const schedule = constantRate(1000, 1, 10)
  assert.deepEqual(takeAll(schedule, 1350), [1000, 1100, 1200, 1300])
  assert.equal(schedule.isOver(5000), false, 'six are left')
  assert.deepEqual(takeAll(schedule, 5000), [1400, 1500, 1600, 1700, 1800, 1900])
  assert.equal(schedule.isOver(5000), true)
})

test('a rate of less than one request in the time still sends one', () => {
  assert.deepEqual(takeAll(constantRate(0, 1, 0.4), 9000), [0])
})
