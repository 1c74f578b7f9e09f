// Whether a program could listen on its addresses now: tries each, and closes it.
import { once } from 'node:events'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { createServer } from 'node:net'
import { json } from 'node:stream/consumers'
import { type Listener, listenFault } from './listener.ts'

export interface CheckedListener extends Listener {
  /** Where it is set, for the problem. */
  readonly setting: string
  /** The program runs without it. */
  readonly isOptional?: true
}

export interface ProgramListeners {
  /** Such as `the portal`. */
  readonly program: string
  readonly listeners: readonly [CheckedListener, ...CheckedListener[]]
  /** How the first one responds if the program is running: to `GET /healthz`, or as a proxy to any request. */
  readonly protocol: 'http' | 'https' | 'proxy'
}

const TIMEOUT_MILLISECONDS = 2_000

/** Ports that are in use because the program itself is running are not a problem. */
export async function checkListeners({ program, listeners, protocol }: ProgramListeners): Promise<{
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}> {
  const [first] = listeners
  const problems: string[] = []
  const warnings: string[] = []
  for (const listener of listeners) {
    const fault = await faultOf(listener)
    if (fault === undefined) continue
    if (listener === first && (await isRunning(first, protocol))) {
      return { problems: [], warnings: [`${program} is running: whether its ports are free was not checked`] }
    }
    const found = listener.isOptional ? warnings : problems
    found.push(`${listener.setting} must name an address that can be used; ${fault}`)
  }
  return { problems, warnings }
}

async function faultOf({ host, port }: Listener): Promise<string | undefined> {
  if (port === 0) return undefined
  const where = { host, port }
  const server = createServer()
  try {
    server.listen({ ...where, exclusive: true })
    await once(server, 'listening')
    return undefined
  } catch (error) {
    const fault = listenFault(error, where)
    if (fault === undefined) throw error
    return fault
  } finally {
    if (server.listening) {
      server.close()
      await once(server, 'close')
    }
  }
}

async function isRunning({ host, port }: Listener, protocol: ProgramListeners['protocol']): Promise<boolean> {
  const loopback: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }
  const request = (protocol === 'https' ? requestHttps : requestHttp)({
    ...{ host: loopback[host] ?? host, port, agent: false },
    // A proxy denies this one without forwarding anything.
    path: protocol === 'proxy' ? 'http://127.0.0.1/' : '/healthz',
    // Nothing is sent, and the certificate does not matter.
    rejectUnauthorized: false,
    signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
  })
  // After its response, too.
  request.on('error', () => {})
  try {
    const [[response]] = await Promise.all([once(request, 'response'), request.end()])
    if (protocol === 'proxy') return true
    return response.statusCode === 200 && Object(await json(response)).status === 'ok'
  } catch {
    return false
  } finally {
    request.destroy()
  }
}
