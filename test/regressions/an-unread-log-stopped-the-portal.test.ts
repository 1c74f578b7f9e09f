// An unread log stopped the portal. When the reader of its standard output stalled (a log driver that waits for its
// server), the pipe filled up and blocked every page. With standard output on a full disk the process neither responded
// nor exited until SIGKILL, because it retried the remaining lines endlessly. Since the first version. Now lines are
// buffered up to a limit, and those beyond it are dropped and counted. Until 2026.48.3 a pipe to a stalled reader, as
// container engines have it, still kept the process from exiting.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { exchangeBytes } from '../portal/exchange.ts'
import { freePort } from '../support/free-port.ts'
import { SECRET } from '../support/payloads.ts'
import { spawnPortal, startPortalProcess } from '../support/portal-process.ts'
import { skipWithoutDevFull } from '../support/requirement.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const MANY = 1600
const FEW = 160
const AT_ONCE = 16
const REQUEST = 'GET /healthz HTTP/1.1\r\nHost: a\r\n'
const REQUESTS = `${`${REQUEST}\r\n`.repeat(AT_ONCE - 1)}${REQUEST}Connection: close\r\n\r\n`

/** By default so many requests that their log lines do not fit into the pipe to the reader. */
async function sendMany(port: number, requests = MANY): Promise<void> {
  for (let asked = 0; asked < requests; asked += AT_ONCE) {
    const answers = await exchangeBytes({ port }, REQUESTS)
    assert.equal(answers.match(/HTTP\/1\.1 200/g)?.length, AT_ONCE)
  }
}

test('a reader that stalls, then one that exits: every request gets a response, and the process stops', async (t) => {
  const portal = startPortalProcess(t, {})
  const port = Number(new URL(await portal.listening).port)
  const requests = () => portal.lines.filter((line) => JSON.parse(line).route === '/healthz').length
  // Control: a reader.
  await sendMany(port, FEW)
  await until(() => requests() === FEW)
  portal.child.stdout.pause()
  await sendMany(port)
  portal.child.stdout.resume()
  // Each line is complete when it is read.
  await until(() => requests() === FEW + MANY)
  portal.child.stdout.destroy()
  await sendMany(port, FEW)
  portal.child.kill('SIGINT')
  assert.equal(await portal.ended, 0)
})

test('a full disk: pages are served, and the process stops on SIGTERM', {
  skip: skipWithoutDevFull,
}, async (t) => {
  const port = await freePort()
  const variables = {
    GATEWAY_CAPTIVE_SHARED_SECRET: SECRET,
    GATEWAY_CAPTIVE_ENV: 'development',
    GATEWAY_CAPTIVE_DATABASE_URL: 'sqlite://',
    GATEWAY_CAPTIVE_LISTEN_PORT: `${port}`,
  }
  const child = spawnPortal(variables, {
    nodeOptions: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', openSync('/dev/full', 'w'), 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const isAnswered = () =>
    fetch(`http://127.0.0.1:${port}/privacy`).then(
      ({ status }) => status === 200,
      () => false,
    )
  await until(isAnswered, 30)
  await sendMany(port, FEW)
  const ended = once(child, 'exit')
  child.kill('SIGINT')
  assert.deepEqual(await ended, [0, null])
})

/** Node's arguments for a program with a log. */
function nodeRunning(program: string): readonly string[] {
  const log = "const log = (await import('./src/observability/log.ts')).createLog()\n"
  return ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', log + program]
}

test('lines beyond the buffer are dropped, counted and reported; buffered lines are complete', async (t) => {
  const program = `
    for (let number = 1; number <= 30_000; number++) log.info({ number, text: 'x'.repeat(200) }, 'line')
    process.stderr.write('written')
    process.stdin.resume().on('end', () => log.info('last'))`
  const child = spawn(process.execPath, nodeRunning(program))
  t.after(() => child.kill('SIGKILL'))
  await once(child.stderr, 'data')
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  await until(() => text.includes('log lines lost'))
  child.stdin.end()
  await once(child, 'close')
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const numbers = lines.flatMap(({ number }) => number ?? [])
  assert.ok(numbers.length > 10_000 && numbers.length < 30_000, `${numbers.length}`)
  assert.deepEqual(
    numbers,
    Array.from({ length: numbers.length }, (_, index) => index + 1),
  )
  const [said, ...more] = lines.filter(({ lines }) => lines !== undefined)
  assert.equal(said.level, 40)
  assert.equal(said.lines, 30_000 - numbers.length)
  assert.deepEqual(more, [])
  assert.equal(lines.at(-1).msg, 'last')
})

for (const [name, first] of [
  ['that the last lines fill', 240],
  ['that is full', 500],
] as const) {
  test(`a pipe ${name}, and a reader that stalls: the process exits`, async (t) => {
    const pipe = join(temporaryFolder(t), 'pipe')
    execFileSync('mkfifo', [pipe])
    // With both ends: opening one alone waits for the other.
    const descriptor = openSync(pipe, constants.O_RDWR)
    t.after(() => closeSync(descriptor))
    const program = `
      const write = (lines) => { for (let line = 0; line < lines; line++) log.info({ text: 'x'.repeat(200) }, 'line') }
      write(${first})
      // The first batch is written meanwhile.
      setTimeout(() => { write(60); process.exit(0) }, 500)`
    const child = spawn(process.execPath, nodeRunning(program), {
      stdio: ['ignore', descriptor, 'inherit'],
      timeout: 20_000,
      killSignal: 'SIGKILL',
    })
    assert.deepEqual(await once(child, 'exit'), [0, null])
  })
}
