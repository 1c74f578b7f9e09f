// Servers of the benchmark, with their child processes.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { basename } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { cpuSeconds, findCores, forgetPeakBytes, peakBytes, programBytes, residentBytes } from '../support/processes.ts'
import { skipUnless, skipWithoutLinux } from '../support/requirement.ts'
import { startServer } from '../support/servers.ts'
import { until } from '../support/until.ts'

// Its child is busy for a while; a client receives the child's process id.
const SERVER = `
const child = require('node:child_process').spawn(process.execPath, ['-e', \`
  while (process.cpuUsage().user < 300_000) ;
  setInterval(() => {}, 1000)\`])
require('node:net').createServer((socket) => socket.on('error', () => {}).end(String(child.pid))).listen(Number(process.argv[1]), '127.0.0.1')`

const isRunning = (pid: number) => existsSync(`/proc/${pid}/stat`)

// Only Linux reports the resources of other processes.
test('a server’s child processes count with it, and end with it', { skip: skipWithoutLinux }, async (t) => {
  const server = await startServer({ name: 'server', words: (port) => ['-e', SERVER, `${port}`] }, findCores())
  t.after(server.stop)
  const told = connect(server.port, '127.0.0.1')
  const child = Number(await text(told))
  assert.ok(isRunning(child))
  await until(() => cpuSeconds(child) >= 0.2)
  assert.ok(cpuSeconds(server.pid) >= cpuSeconds(child))
  assert.ok(residentBytes(server.pid) > residentBytes(child))
  const together = programBytes(basename(process.execPath), server.pid)
  assert.ok(together > residentBytes(child))
  assert.ok(together < residentBytes(server.pid), 'files that both map count once')
  await server.stop()
  await until(() => !isRunning(child))
})

test('the peak of a process’s memory includes what it has freed, until it is forgotten', {
  skip: skipWithoutLinux,
}, () => {
  const bytes = 64 * 2 ** 20
  forgetPeakBytes(process.pid)
  const before = peakBytes(process.pid)
  const memory = new ArrayBuffer(bytes)
  new Uint8Array(memory).fill(1)
  memory.transfer(0)
  assert.ok(peakBytes(process.pid) >= before + 0.9 * bytes)
  forgetPeakBytes(process.pid)
  assert.ok(peakBytes(process.pid) <= before + 0.5 * bytes)
})

test('load and server each have a core', { skip: skipUnless(findCores() !== undefined, 'needs two cores') }, () => {
  const { load, server } = findCores() ?? assert.fail()
  assert.match(`${load} ${server}`, /^(\d+) (?!\1$)\d+$/)
})
