// Two greedy clients, in a separate process with a low priority, so that they load the portal and not the visitors'
// process. One repeats a single acknowledgement on HTTP/2 connections, the other acknowledges hundreds of verdicts from
// one address. Started by contending.ts.
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { Agent } from 'node:https'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { acknowledgement, count, get, HOST } from './acknowledging.ts'
import { CONTENDERS, type ContendersReport, type Where } from './contending.ts'

const { crowd, repeater } = CONTENDERS

setPriority(10)
process.on('disconnect', () => process.exit())
const [where] = (await once(process, 'message')) as [Where]

const repeated = new Map<string, number>()
const crowded = new Map<string, number>()
const target = acknowledgement()
/** Requests that the repeater may still send in this tenth of a second. */
let allowance = 0
const waiting: (() => void)[] = []
setInterval(() => {
  allowance = repeater.perSecond / 10
  for (const request of waiting.splice(0, allowance)) request()
}, 100)
const agent = new Agent({ keepAlive: true, maxSockets: crowd.verdicts, localAddress: crowd.address })
for (let connection = 0; connection < repeater.connections; connection++) void repeat()
for (let verdict = 0; verdict < crowd.verdicts; verdict++) void acknowledge()
while (repeated.size === 0 || crowded.size === 0) await sleep(20)
process.send?.('started')
await once(process, 'message')
process.send?.({ repeated: [...repeated], crowd: [...crowded] } satisfies ContendersReport, () => process.exit())

async function acknowledge(): Promise<void> {
  const path = acknowledgement()
  while (true) {
    const result = await get({ ...where, agent, path })
    count(crowded, result)
    const [shortest, longest] = crowd.pause
    const isRefused = result === '429' || result === '503' || result === 'unanswered'
    if (isRefused) await sleep(shortest + Math.random() * (longest - shortest))
  }
}

/** Keeps as many requests in flight as the connection and the rate allow, and reconnects after a close. */
async function repeat(): Promise<void> {
  while (true) {
    const options: ConnectionOptions & { localAddress: string } = {
      ...where,
      localAddress: repeater.address,
      ALPNProtocols: ['h2'],
    }
    const session = connectHttp2(`https://${HOST}`, { createConnection: () => connectTls(options) })
    session.on('error', () => {})
    const closed = once(session, 'close')
    session.once('remoteSettings', ({ maxConcurrentStreams = repeater.streams }) => {
      for (let stream = Math.min(maxConcurrentStreams, repeater.streams); stream > 0; stream--) request()
    })
    const request = () => {
      if (session.closed || session.destroyed) return
      if (allowance < 1) {
        waiting.push(request)
        return
      }
      allowance--
      const stream = session.request({ ':path': target })
      stream.on('error', () => {})
      stream.on('response', ({ ':status': status }) => count(repeated, String(status)))
      stream.on('close', () => setImmediate(request))
      stream.resume()
    }
    await closed
  }
}
