// Measures what a changed list costs: how long until it is in force, and what happens to other requests meanwhile.
import { appendFileSync, copyFileSync, renameSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../test/support/until.ts'
import { allowedHost } from './hosts.ts'
import type { ProxyList, StartedProxy } from './proxy.ts'
import type { ListChange } from './result.ts'

/** Between two requests of the load: 200 a second. */
const INTERVAL_MILLISECONDS = 5
const CONNECTIONS = 32
/** Of the load before the list changes. E2Guardian does not read a file twice that changed twice in a second. */
const LEAD_MILLISECONDS = 1500
const PATIENCE_MILLISECONDS = 15_000
const IN_FORCE_SECONDS = 120
const POLL_MILLISECONDS = 5
const PROBE_MILLISECONDS = 2000

/** Names that so many changes add: they resolve before they are on the list. */
export function addedNames(changes: number): string[] {
  return Array.from({ length: changes }, (_, number) => nameOf(number + 1))
}

/**
 * Undefined for a proxy without a list that it reads again.
 * @param number counts this proxy's changes, from 1
 * @param outside a folder that no proxy watches
 */
export async function measureChange(
  { servers, list }: StartedProxy,
  number: number,
  outside: string,
): Promise<ListChange | undefined> {
  if (list?.reload === undefined) return undefined
  const [{ port }] = servers
  const load = startLoad(port)
  try {
    await sleep(LEAD_MILLISECONDS)
    const inForce = await change(list, nameOf(number), port, outside)
    return { inForce, ...(await load.stop()) }
  } finally {
    await load.stop()
  }
}

/** Allowed requests at a constant rate until it is stopped. */
function startLoad(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const [pages, all]: [number[], Promise<void>[]] = [[], []]
  const send = async () => {
    const start = performance.now()
    const status = await statusOf(allowedHost(0), port, agent, PATIENCE_MILLISECONDS)
    if (status === 200) pages.push(performance.now() - start)
  }
  const timer = setInterval(() => all.push(send()), INTERVAL_MILLISECONDS)
  return {
    async stop(): Promise<Omit<ListChange, 'inForce'>> {
      clearInterval(timer)
      await Promise.all(all)
      agent.destroy()
      return { requests: all.length, failed: all.length - pages.length, longest: Math.max(...pages) }
    },
  }
}

/** @returns milliseconds from the replaced file until a new name is stopped */
async function change(
  { path, prefix, status, reload }: ProxyList,
  name: string,
  port: number,
  outside: string,
): Promise<number> {
  const next = `${outside}/next-list.txt`
  copyFileSync(path, next)
  appendFileSync(next, `${prefix}${name}\n`)
  const start = performance.now()
  renameSync(next, path)
  await reload?.()
  try {
    await until(
      async () => (await statusOf(name, port, false, PROBE_MILLISECONDS)) === status,
      IN_FORCE_SECONDS,
      POLL_MILLISECONDS,
    )
  } catch {
    throw new Error(`${path} was changed, but ${name} was not stopped within ${IN_FORCE_SECONDS} s`)
  }
  return performance.now() - start
}

/** Undefined when there is no response in time. */
function statusOf(host: string, port: number, agent: Agent | false, patience: number): Promise<number | undefined> {
  const options = { host: '127.0.0.1', port, path: `http://${host}/page`, headers: { Host: host }, agent }
  const start = performance.now()
  return new Promise((resolve) => {
    const sent = get(options, (response) => {
      response.resume().on('close', () => resolve(response.complete ? response.statusCode : undefined))
    })
    sent.setTimeout(patience, () => sent.destroy())
    sent.on('error', () => {
      // As a browser does when a kept connection was closed meanwhile.
      const rest = patience - (performance.now() - start)
      resolve(sent.reusedSocket && rest > 0 ? statusOf(host, port, agent, rest) : undefined)
    })
  })
}

function nameOf(number: number): string {
  return `change-${number}.example`
}
