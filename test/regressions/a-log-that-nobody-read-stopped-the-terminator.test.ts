// When nobody read the terminator's log, the terminator stopped: nginx blocked on a full pipe, after 610 requests with
// the access log, and after as many error lines while the portal was down; since the first version. Now the access log
// is off or a file, and nginx drops an error line that does not fit into the pipe.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { after, describe, type TestContext, test } from 'node:test'
import { startPublishing } from '../engine/publishing.ts'
import { inReverse } from '../support/cleanup.ts'
import { freePort } from '../support/free-port.ts'
import { rawResponse, startHostileEngine } from '../support/hostile-engine.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { skipWithoutNginx, spawnTerminator, startTerminator } from '../support/terminator.ts'
import { until } from '../support/until.ts'
import { send } from '../terminator/client.ts'

const TARGET = `/warned?p=${'zqpayload'.repeat(20)}`
/** More lines than fit into two pipes of 64 KiB and what this process reads ahead. */
const UNREAD = 1_600
const REFUSED = 500
const AT_ONCE = 20
const OK = rawResponse('200 OK', ['Content-Length: 0'])

describe('the terminator’s log', { skip: skipWithoutNginx }, async () => {
  const { folder, publish } = await startPublishing({ after })
  await publish({ portalHost: 'localhost' })

  /** Starts a terminator without a portal, whose output nobody reads. */
  async function start(test: TestContext) {
    const t = inReverse(test)
    const [http, https] = [await freePort(), await freePort()]
    const child = spawnTerminator({
      TERMINATOR_PORTAL: `127.0.0.1:${await freePort()}`,
      TERMINATOR_LEAF: `${folder}/terminator`,
      TERMINATOR_RUN: temporaryFolder(t),
      TERMINATOR_HTTP: `127.0.0.1:${http}`,
      TERMINATOR_HTTPS: `127.0.0.1:${https}`,
      TERMINATOR_UNLIMITED: '127.0.0.1',
    })
    t.after(async () => {
      if (child.exitCode !== null) return
      child.kill('SIGTERM')
      child.stderr.resume()
      await once(child, 'exit')
    })
    const origin = `http://127.0.0.1:${http}`
    await until(() => send(origin, '/').catch(() => false))
    return { child, origin }
  }

  /** @returns the number of responses by status */
  async function sendMany(origin: string, requests: number): Promise<Record<number, number>> {
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
    const counts: Record<number, number> = {}
    const visitor = async () => {
      for (let asked = 0; asked < requests / AT_ONCE; asked++) {
        const { status } = await send(origin, TARGET, { agent, timeout: 5_000 })
        counts[status] = (counts[status] ?? 0) + 1
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, visitor))
    agent.destroy()
    return counts
  }

  test('a stalled reader: every visitor gets a response while the portal is down, and a stop is not delayed', async (t) => {
    const { child, origin } = await start(t)
    let text = ''
    child.stderr.on('data', (chunk) => {
      text += chunk
    })
    child.stderr.pause()
    assert.deepEqual(await sendMany(origin, UNREAD), { 503: UNREAD })
    child.kill('SIGTERM')
    // What is left in the pipe is read after the exit.
    assert.deepEqual(await once(child, 'close'), [0, null])
    const lines = text.trimEnd().split('\n')
    assert.ok(lines.length > 300 && lines.length < UNREAD, `${lines.length} lines`)
    for (const line of lines) assert.match(line, /^\d{4}\/\d\d\/\d\d [\d:]{8} \[\w+\] \d+#\d+: (\*\d+ )?[^?]+$/)
    assert.doesNotMatch(text, /zqpayload|client:|127\.0\.0\.1/)
  })

  test('a reader that has exited: every visitor gets a response', async (t) => {
    const { child, origin } = await start(t)
    child.stderr.destroy()
    assert.deepEqual(await sendMany(origin, 100), { 503: 100 })
  })

  for (const level of ['info', 'error']) {
    test(`rejected requests, at level ${level}: no line contains a query or an address`, async (t) => {
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
      const counts = await sendMany(`http://127.0.0.1:${terminator.httpPort}`, REFUSED)
      assert.equal((counts[200] ?? 0) + (counts[429] ?? 0), REFUSED)
      await terminator.stop()
      assert.equal(terminator.requests().filter(({ status }) => status === '429').length, counts[429])
      const lines = terminator.logText().match(/.*limiting requests.*/g) ?? []
      assert.equal(lines.length > 100, level === 'error', `${lines.length} lines`)
      assert.doesNotMatch(terminator.logText(), /zqpayload|client:|127\.0\.0\.1/)
    })
  }
})
