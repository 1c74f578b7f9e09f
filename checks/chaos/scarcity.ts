// A portal with 256 file descriptors and 128 MiB behind the shipped terminator, with more clients than it has
// descriptors.
import { once } from 'node:events'
import { mkdirSync, readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listed, sendLoad } from '../../test/support/load/load.ts'
import { residentBytes } from '../../test/support/processes.ts'
import { skipWithoutNginx, startTerminator } from '../../test/support/terminator.ts'
import type { Findings } from './findings.ts'
import { startGateway } from './gateway.ts'
import { pageFigures, watchPages } from './pages.ts'
import type { ScenarioOptions } from './scenario.ts'

const FILES = 256
/** With 256 descriptors a portal accepts 126 connections. */
const PORTAL_CONNECTIONS = 96
const CROWD = 1_000

/** Why this machine cannot run it. */
export const lacksForScarcity =
  process.platform === 'linux' ? skipWithoutNginx || undefined : 'counts file descriptors in /proc'

export async function judgeScarcity(options: ScenarioOptions, findings: Findings): Promise<void> {
  const { after, isShort } = options
  const folder = join(options.folder, 'scarcity')
  mkdirSync(folder)
  const gateway = await startGateway(
    { ...options, folder },
    { ENGINE_TIMEOUT_SECONDS: '2', GATEWAY_CAPTIVE_BASE_URL: 'http://portal.example' },
    { openFiles: FILES, nodeOptions: ['--max-old-space-size=128'] },
  )
  const { pid, pages } = gateway
  const terminator = await startTerminator(
    { after },
    {
      portal: `127.0.0.1:${gateway.port}`,
      leaf: join(folder, 'published', 'terminator'),
      // The load is a single client.
      settings: { TERMINATOR_PORTAL_CONNECTIONS: `${PORTAL_CONNECTIONS}`, TERMINATOR_UNLIMITED: '127.0.0.1' },
    },
  )
  const port = terminator.httpPort
  const seconds = isShort ? 4 : 12
  const open = () => readdirSync(`/proc/${pid}/fd`).length
  /** Runs the load and, at the same time, the container's health check. */
  const whileHealthy = async <Result>(name: string, load: Promise<Result>, duration = seconds): Promise<Result> => {
    const health = { port: gateway.port, targets: ['/healthz'], rate: 10, seconds: duration, connections: 8 }
    const [result, { responses }] = await Promise.all([load, sendLoad(health)])
    findings.figure(`${name}: /healthz`, listed(responses))
    findings.expectOnly(['200'], responses, `${name}: /healthz`)
    return result
  }
  const unloaded = open()
  const before = await (await watchPages({ ...gateway, port }, options)).measure(2)
  findings.figure('without load', `${unloaded} of ${FILES} descriptors; pages ${pageFigures(before.pages)}`)

  const idle: Socket[] = []
  after(() => idle.map((socket) => socket.destroy()))
  while (idle.length < CROWD) idle.push(await idleVisitor(port, pages[0] as string))
  const crowded = await whileHealthy(
    'idle connections',
    sendLoad({ port, targets: pages, rate: 50, seconds, connections: 12 }),
  )
  findings.figure(`${CROWD} idle connections`, `${listed(crowded.responses)}; ${open()} descriptors`)
  findings.expectOnly(['200'], crowded.responses, 'pages next to idle connections')
  for (const socket of idle.splice(0)) socket.destroy()

  gateway.engineProxy.set({ kind: 'black hole' })
  const targets = await gateway.acknowledgements('aup', 100 * seconds)
  const [acks, meanwhile] = await whileHealthy(
    'silent engine',
    Promise.all([
      sendLoad({ port, targets, rate: 100, seconds, connections: 60 }),
      sendLoad({ port, targets: pages, rate: 50, seconds, connections: 20 }),
    ]),
  )
  findings.figure('silent engine', `${listed(acks.responses)}; ${open()} descriptors`)
  findings.figure('pages at the same time', pageFigures(meanwhile))
  findings.expectOnly(['503', '504', 'no connection'], acks.responses, 'acknowledgements')
  for (const status of ['503', '504']) findings.expect(acks.responses.has(status), `no acknowledgement got ${status}`)
  findings.expectOnly(['200'], meanwhile.responses, 'pages next to a silent engine')
  gateway.engineProxy.set({ kind: 'none' })

  // The pause makes all connections wait at the same time.
  let most = 0
  const sampling = setInterval(() => {
    most = Math.max(most, open())
  }, 20)
  const flooded = sendLoad({ port, targets: pages, rate: 6_000, seconds, connections: CROWD, patience: 5_000 })
  await sleep(1_000)
  process.kill(pid, 'SIGSTOP')
  const resumed = sleep(1_000).then(() => process.kill(pid, 'SIGCONT'))
  const flood = await whileHealthy('flood', flooded, seconds - 1)
  await resumed
  clearInterval(sampling)
  findings.figure(`${CROWD} connections`, `${listed(flood.responses)}; at most ${most} descriptors`)
  findings.expectOnly(['200', '503', 'no connection'], flood.responses, 'flood')
  findings.expect(flood.responses.has('200'), 'no request was served')
  findings.expectInTime(flood.responses.has('503'), 'no request was refused: the load was too low')
  findings.expect(flood.withRetryAfter === flood.responses.get('503'), 'a 503 without Retry-After')

  const recovered = await sendLoad({ port, targets: pages, rate: 100, seconds: 2, connections: 20 })
  findings.figure(
    'afterwards',
    `${pageFigures(recovered)}; ${open()} descriptors, ${Math.round(residentBytes(pid) / 1024 ** 2)} MiB resident`,
  )
  findings.expectOnly(['200'], recovered.responses, 'pages afterwards')
  const expected = ['acceptance stays pending', 'acceptance could not be recorded']
  const unexpected = gateway
    .logged()
    .filter(({ level, msg, outcome }) => Number(level) >= 50 && outcome !== 'late' && !expected.includes(String(msg)))
  findings.expect(unexpected.length === 0, `unexpected: ${JSON.stringify(unexpected[0])}`)
  findings.expect(gateway.lastLogLine() === undefined, `the portal has ended: ${gateway.lastLogLine()}`)
}

async function idleVisitor(port: number, target: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(`GET ${target} HTTP/1.1\r\nHost: portal.example\r\n\r\n`)
  await Promise.race([once(socket, 'data'), once(socket, 'close')])
  return socket
}
