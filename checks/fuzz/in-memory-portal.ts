// The whole portal without a network: a request goes in as text, and what would be written comes out at once.
import { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { pino } from 'pino'
import { loadPortalConfig } from '../../src/aup/policy-texts.ts'
import type { Ledger } from '../../src/ledger/ledger.ts'
import { createApp } from '../../src/portal/app.ts'
import { PortalRequest } from '../../src/portal/http/request-headers.ts'
import { policyDocuments } from '../../src/portal/pages/policy-document.ts'
import { capacityOf } from '../../src/portal/process/capacity.ts'
import { SECRET } from '../../test/support/payloads.ts'

export interface Answered {
  readonly status: number
  /** Name, value, name, value, … */
  readonly headers: readonly string[]
  readonly body: Buffer
  /** Lines of the log, parsed. */
  readonly logged: readonly Readonly<Record<string, unknown>>[]
}

export const SESSION_KEY = 'kP3-session-key-for-the-tests-0123456789'

/** @param now Unix seconds */
export async function startInMemoryPortal(now: number) {
  const { config, policyTexts } = await loadPortalConfig({
    GATEWAY_CAPTIVE_SECRET_KEY: SESSION_KEY,
    GATEWAY_CAPTIVE_SHARED_SECRET: SECRET,
    GATEWAY_CAPTIVE_DATABASE_URL: 'sqlite://',
    ENGINE_INTERNAL_URL: '',
  })
  let lines: string[] = []
  const app = createApp({
    config,
    // Unused, because acknowledgements are turned off.
    ledger: {} as Ledger,
    capacity: capacityOf(1024),
    documents: policyDocuments(policyTexts),
    sendAcknowledgement: undefined,
    publishedCa: () => undefined,
    clock: () => now * 1000,
    log: pino({ base: null }, { write: (line: string) => void lines.push(line) }),
  })

  /** @throws {Error} when the answer could not be written */
  return (method: string, target: string, headers: readonly string[] = []): Answered => {
    lines = []
    const request = new PortalRequest(new Socket())
    Object.assign(request, { method, url: target, rawHeaders: [...headers], httpVersionMajor: 1, httpVersionMinor: 1 })
    const response = new WrittenDown(request)
    turnAtOnce(() => app.server.emit('request', request, response))
    request.socket.destroy()
    // Without a connection nothing else says that the answer is out, which is when it is logged.
    response.emit('close')
    const { statusCode, written, body } = response
    if (!response.writableEnded) throw new Error('no answer')
    return { status: statusCode, headers: written, body, logged: lines.map((line) => JSON.parse(line)) }
  }
}

/** Does this and what it leaves for the next turn of the event loop, which does not turn between two inputs. */
function turnAtOnce(work: () => void): void {
  const turns: (() => void)[] = [work]
  const { setImmediate } = globalThis
  Object.assign(globalThis, { setImmediate: (turn: () => void) => turns.push(turn) })
  try {
    for (const turn of turns) turn()
  } finally {
    Object.assign(globalThis, { setImmediate })
  }
}

class WrittenDown extends ServerResponse {
  written: readonly string[] = []
  body: Buffer = Buffer.alloc(0)

  override writeHead(status: number, ...more: unknown[]): this {
    this.written = more.at(-1) as string[]
    return super.writeHead(status, more.at(-1) as never)
  }

  override end(...args: unknown[]): this {
    const [body, encoding] = args
    if (typeof body === 'string') this.body = Buffer.from(body, encoding as BufferEncoding)
    else if (body instanceof Uint8Array) this.body = Buffer.from(body)
    return super.end()
  }
}
