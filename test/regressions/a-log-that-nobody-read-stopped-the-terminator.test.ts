// When nobody read the terminator's log, the terminator stopped: nginx waited for a full pipe, after 610 requests with the
// access log, and after as many error lines while the portal was away. It had been so since the first version. Now the
// access log is off or a file, and nginx drops an error line that does not fit into the pipe.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import { startPublishing } from '../engine/publishing.ts'
import { freePort } from '../support/free-port.ts'
import { answer, startHostileEngine } from '../support/hostile-engine.ts'
import { skipWithoutNginx, spawnTerminator, startTerminator } from '../support/terminator.ts'
import { until } from '../support/until.ts'
import { ask } from '../terminator/client.ts'

const TARGET = `/warned?p=${'zqpayload'.repeat(20)}`
/** More lines than fit into two pipes of 64 KiB and what this process reads ahead. */
const REQUESTS = 4_000
const AT_ONCE = 20
const OK = answer('200 OK', ['Content-Length: 0'])

describe('the terminator’s log', { skip: skipWithoutNginx }, async () => {
  const { folder, publish } = await startPublishing({ after })
  await publish({ portalHost: 'localhost' })

  /** Before a portal that is away. Nobody reads what it writes. */
  async function start(t: TestContext) {
    const run = mkdtempSync(join(tmpdir(), 'terminator-test-'))
    const [http, https] = [await freePort(), await freePort()]
    const child = spawnTerminator({
      TERMINATOR_PORTAL: `127.0.0.1:${await freePort()}`,
      TERMINATOR_LEAF: `${folder}/terminator`,
      TERMINATOR_RUN: run,
      TERMINATOR_HTTP: `127.0.0.1:${http}`,
      TERMINATOR_HTTPS: `127.0.0.1:${https}`,
      TERMINATOR_UNLIMITED: '127.0.0.1',
    })
    t.after(async () => {
      if (child.exitCode === null) {
        child.kill('SIGTERM')
        child.stderr.resume()
        await once(child, 'exit')
      }
      rmSync(run, { recursive: true })
    })
    const origin = `http://127.0.0.1:${http}`
    const isUp = () =>
      ask(origin, '/').then(
        () => true,
        () => false,
      )
    await until(isUp)
    return { child, origin }
  }

  /** How often each status came. */
  async function askOften(origin: string): Promise<Record<number, number>> {
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
    const counts: Record<number, number> = {}
    const visitor = async () => {
      for (let asked = 0; asked < REQUESTS / AT_ONCE; asked++) {
        const { status } = await ask(origin, TARGET, { agent, timeout: 5_000 })
        counts[status] = (counts[status] ?? 0) + 1
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, visitor))
    agent.destroy()
    return counts
  }

  for (const [name, isRead] of [
    ['a stalled reader', false],
    ['control: one that reads', true],
  ] as const) {
    test(`${name}: every visitor is answered while the portal is away, and no line holds a query or an address`, async (t) => {
      const { child, origin } = await start(t)
      let text = ''
      const readLog = () =>
        child.stderr.on('data', (chunk) => {
          text += chunk
        })
      if (isRead) readLog()
      assert.deepEqual(await askOften(origin), { 503: REQUESTS })
      readLog()
      await until(() => text.length > 60_000)
      child.kill('SIGTERM')
      await once(child, 'close')
      const lines = text.trimEnd().split('\n')
      assert.ok(lines.length > 300 && (isRead || lines.length < REQUESTS), `${lines.length} lines`)
      for (const line of lines) assert.match(line, /^\d{4}\/\d\d\/\d\d [\d:]{8} \[\w+\] \d+#\d+: (\*\d+ )?[^?]+$/)
      assert.doesNotMatch(text, /zqpayload|client:|127\.0\.0\.1/)
    })
  }

  test('a stalled reader does not delay a stop', async (t) => {
    const { child, origin } = await start(t)
    await askOften(origin)
    child.kill('SIGTERM')
    assert.deepEqual(await once(child, 'exit'), [0, null])
  })

  test('a reader that has gone: every visitor is answered', async (t) => {
    const { child, origin } = await start(t)
    child.stderr.destroy()
    assert.deepEqual(await askOften(origin), { 503: REQUESTS })
  })

  for (const level of ['info', 'error']) {
    test(`refused requests, at level ${level}: no line holds a query or an address`, async (t) => {
      const portal = await startHostileEngine(t, (socket) => {
        socket.write(OK)
        socket.on('data', () => socket.write(OK))
      })
      const terminator = await startTerminator(t, {
        portal: `127.0.0.1:${portal.port}`,
        leaf: `${folder}/terminator`,
        settings: { TERMINATOR_REQUESTS_PER_SECOND: '1' },
        ...(level !== 'info' && {
          edit: (shipped) => shipped.replace('limit_req_log_level info', `limit_req_log_level ${level}`),
        }),
      })
      const counts = await askOften(`http://127.0.0.1:${terminator.httpPort}`)
      assert.equal((counts[200] ?? 0) + (counts[429] ?? 0), REQUESTS)
      await terminator.stop()
      assert.equal(terminator.requests().filter(({ status }) => status === '429').length, counts[429])
      const lines = terminator.logText().match(/.*limiting requests.*/g) ?? []
      assert.equal(lines.length > 100, level === 'error', `${lines.length} lines`)
      assert.doesNotMatch(terminator.logText(), /zqpayload|client:|127\.0\.0\.1/)
    })
  }
})
