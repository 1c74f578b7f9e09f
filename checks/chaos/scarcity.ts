// A portal with little: 256 file descriptors and 128 MiB. Idle connections take all that it serves, and more than it has.
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { listed, sendLoad } from '../../test/support/load/load.ts'
import { residentBytes } from '../../test/support/processes.ts'
import { startGateway } from './gateway.ts'
import { noteBusyMachine, pageFigures, watchPages } from './pages.ts'
import { Findings, type Scenario } from './scenario.ts'

const FILES = 256

export const scarcity: Scenario = {
  name: 'scarcity',
  about: '256 file descriptors and 128 MiB: it degrades with 503, does not end, and serves again afterwards',
  seconds: { whole: 120, short: 25 },
  lacks: process.platform === 'linux' ? undefined : 'counts file descriptors in /proc',
  async run(options) {
    const findings = new Findings()
    const gateway = await startGateway(
      options,
      { ENGINE_TIMEOUT_SECONDS: '2' },
      { openFiles: FILES, nodeOptions: ['--max-old-space-size=128'] },
    )
    const { port, pid, pages } = gateway
    const seconds = options.isShort ? 4 : 30
    const open = () => readdirSync(`/proc/${pid}/fd`).length
    const atRest = open()
    const before = await (await watchPages(gateway, options)).measure(2)
    noteBusyMachine(findings, before)
    findings.figure('at rest', `${atRest} of ${FILES} descriptors; pages ${pageFigures(before.pages)}`)

    const idle: Socket[] = []
    options.after(() => idle.map((socket) => socket.destroy()))
    // Each has had one page, and then keeps its connection.
    while (idle.length < 112) idle.push(await idleVisitor(port, pages[0] as string))
    const crowded = await sendLoad({ port, targets: pages, rate: 50, seconds, connections: 12 })
    findings.figure('112 idle connections', `${listed(crowded.answers)}; ${open()} descriptors`)
    findings.expect([...crowded.answers.keys()].join() === '503', 'something else than 503 came')
    findings.expect(crowded.withRetryAfter === crowded.answers.get('503'), 'a 503 does not say when to come again')

    for (const socket of idle.splice(0)) socket.destroy()
    gateway.engineProxy.set({ kind: 'black hole' })
    const targets = await gateway.acknowledgements('aup', 100 * seconds)
    const [acks, meanwhile] = await Promise.all([
      sendLoad({ port, targets, rate: 100, seconds, connections: 60 }),
      sendLoad({ port, targets: pages, rate: 50, seconds, connections: 20 }),
    ])
    findings.figure('a silent engine', `${listed(acks.answers)}; ${open()} descriptors`)
    findings.figure('pages meanwhile', pageFigures(meanwhile))
    const statuses = [...acks.answers.keys()].filter((what) => what !== 'no connection')
    findings.expect(statuses.sort().join() === '503,504', 'something else than 503 and 504 came')
    findings.expect([...meanwhile.answers.keys()].join() === '200', 'pages suffer')
    gateway.engineProxy.set({ kind: 'none' })

    // Beyond everything: more connections than there are descriptors, all asking.
    const flood = await sendLoad({ port, targets: pages, rate: 2_000, seconds, connections: 400, patience: 5_000 })
    findings.figure('400 connections', listed(flood.answers))
    findings.expect((flood.answers.get('200') ?? 0) > 0, 'nobody was served')

    const after = await sendLoad({ port, targets: pages, rate: 100, seconds: 2, connections: 20 })
    findings.figure(
      'afterwards',
      `${pageFigures(after)}; ${open()} descriptors, ${Math.round(residentBytes(pid) / 1024 ** 2)} MiB resident`,
    )
    findings.expect([...after.answers.keys()].join() === '200', 'service is not as before')
    const expected = ['acceptance stays pending', 'acceptance could not be recorded']
    const unexpected = gateway
      .logged()
      .filter(({ level, msg }) => Number(level) >= 50 && !expected.includes(String(msg)))
    findings.expect(unexpected.length === 0, `unexpected: ${JSON.stringify(unexpected[0])}`)
    findings.expect(gateway.lastWords() === undefined, `the portal has ended: ${gateway.lastWords()}`)
    return findings
  },
}

async function idleVisitor(port: number, target: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(`GET ${target} HTTP/1.1\r\nHost: portal.example\r\n\r\n`)
  await Promise.race([once(socket, 'data'), once(socket, 'close')])
  return socket
}
