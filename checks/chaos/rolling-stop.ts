// Replaces a portal under load, as an orchestrator does: a new one starts at another address, the name resolves to it,
// and the old one gets SIGTERM. Clients of the real terminator see no failure.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEngineProcess } from '../../test/support/engine-process.ts'
import { freePort } from '../../test/support/free-port.ts'
import { listed, sendLoad } from '../../test/support/load/load.ts'
import { spawnPortal } from '../../test/support/portal-process.ts'
import { skipWithoutStream, startTerminator } from '../../test/support/terminator.ts'
import { until } from '../../test/support/until.ts'
import { startDnsServer } from '../../test/terminator/dns-server.ts'
import { Findings } from './findings.ts'
import { pageFigures } from './pages.ts'
import { runScenario } from './scenario.ts'

const START_SECONDS = 30

await runScenario({
  lacks: skipWithoutStream || undefined,
  async run(options) {
    const { folder, after, isShort } = options
    const findings = new Findings()
    const engine = await startEngineProcess(folder)
    after(() => engine.stop())
    const port = await freePort()
    const environment = {
      ...engine.portalVariables,
      GATEWAY_CAPTIVE_SHARED_SECRET_FILE: join(folder, 'secret'),
      GATEWAY_CAPTIVE_SECRET_KEY: randomBytes(32).toString('base64url'),
      GATEWAY_CAPTIVE_BASE_URL: 'https://portal.example',
      GATEWAY_CAPTIVE_LISTEN_PORT: `${port}`,
    }
    const start = (address: string, name: string) => {
      const log = openSync(join(folder, `${name}.log`), 'a')
      const variables = {
        ...environment,
        GATEWAY_CAPTIVE_LISTEN_HOST: address,
        GATEWAY_CAPTIVE_DATABASE_URL: `sqlite:///${join(folder, name)}.db`,
      }
      const child = spawnPortal(variables, { stdio: ['ignore', log, log] })
      after(() => child.kill('SIGKILL'))
      const ended = once(child, 'exit').then(([status]) => status as number | null)
      return { child, ended, log: () => readFileSync(join(folder, `${name}.log`), 'utf8') }
    }
    const dns = await startDnsServer({ after }, 'portal.internal')
    dns.answer('127.0.0.1')
    let current = start('127.0.0.1', 'portal-0')
    await until(() => current.log().includes('listening on'), START_SECONDS, 50)
    const terminator = await startTerminator(
      { after },
      { portal: `portal.internal:${port}`, leaf: join(folder, 'published', 'terminator'), resolver: dns.address },
    )
    const tls = { ca: readFileSync(join(folder, 'published', 'ca', 'ca.crt')), servername: 'portal.example' }
    const targets: string[] = []
    while (targets.length < 40) targets.push(`/blocked?${await engine.issue('casino.localhost', '10.9.9.9')}`)
    while (targets.length < 80) {
      targets.push(`/api/captive/ack?${await engine.issue('news.localhost', `10.8.0.${targets.length}`)}`)
    }
    const send = (rate: number, seconds: number) =>
      sendLoad({ port: terminator.httpsPort, tls, targets, rate, seconds, connections: 40 })
    await send(40, 2)

    const stops = isShort ? 1 : 3
    const load = send(60, 14 * stops)
    for (let count = 1; count <= stops; count++) {
      await sleep(2_000)
      const address = count % 2 === 0 ? '127.0.0.1' : '127.0.0.2'
      const next = start(address, `portal-${count}`)
      await until(() => next.log().includes('listening on'), START_SECONDS, 50)
      dns.answer(address)
      const stoppedAt = performance.now()
      current.child.kill('SIGTERM')
      const status = await current.ended
      findings.figure(
        `stop ${count}`,
        `status ${status} after ${((performance.now() - stoppedAt) / 1000).toFixed(1)} s`,
      )
      findings.expect(status === 0, 'a portal did not exit with status 0')
      current = next
    }
    const result = await load
    findings.figure('through the terminator', pageFigures(result))
    const others = [...result.responses.keys()].filter((what) => what !== '200' && what !== '302')
    findings.expect(others.length === 0, `unexpected results: ${listed(result.responses)}`)
    findings.expect((result.responses.get('302') ?? 0) > 0, 'no acknowledgement was accepted')
    const errors = terminator
      .logText()
      .split('\n')
      .filter((line) => /\[(error|warn)\]/.test(line))
    findings.figure('errors in nginx’s log', errors.length)
    findings.expect(errors.length === 0, errors[0] ?? '')
    return findings
  },
})
