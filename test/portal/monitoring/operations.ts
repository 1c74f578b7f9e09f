// A portal in this process with its operations listener, and an engine that the test controls.

import { createHealthClient } from '../../../src/portal/engine-client/clients.ts'
import { startOps } from '../../../src/portal/monitoring/start-ops.ts'
import type { Cleanup } from '../../support/cleanup.ts'
import { type PortalOptions, type RunningPortal, startPortal } from '../../support/portal.ts'

export interface Operations {
  readonly portal: RunningPortal
  /** A request to the operations listener. */
  send(
    path: string,
    method?: string,
  ): Promise<{ readonly status: number; readonly body: string; readonly head: Headers }>
  readonly port: number
  /** Sets the event loop delay, in milliseconds. */
  standStill(milliseconds: number): void
}

export async function startOperations(t: Cleanup, options: PortalOptions = {}): Promise<Operations> {
  let delay = 0
  const portal = await startPortal(undefined, options)
  const ops = await startOps({
    config: { ...portal.config, ops: { host: '127.0.0.1', port: 0 } },
    ledger: portal.ledger,
    publishedCa: portal.certificates.current,
    tally: portal.tally,
    readEngineHealth: createHealthClient(portal.config),
    clock: portal.clock,
    eventLoopDelay: () => delay,
  })
  t.after(async () => {
    await ops.close()
    await portal.close()
  })
  return {
    portal,
    port: ops.port,
    async send(path, method = 'GET') {
      const response = await fetch(`http://127.0.0.1:${ops.port}${path}`, { method })
      return { status: response.status, body: await response.text(), head: response.headers }
    },
    standStill(milliseconds) {
      delay = milliseconds
    },
  }
}

/** The values of a Prometheus text, by name and labels as written. */
export function valuesOf(text: string): ReadonlyMap<string, number> {
  const values = new Map<string, number>()
  for (const line of text.split('\n')) {
    const [, name, value] = /^([a-z0-9_]+(?:\{.*\})?) (\S+)$/.exec(line) ?? []
    if (name !== undefined) values.set(name, Number(value))
  }
  return values
}
