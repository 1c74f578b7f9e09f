// The whole portal without a network: it takes a request as text and returns its response synchronously.
import { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { pino } from 'pino'
import type { Ledger } from '../../src/ledger/ledger.ts'
import { createApp } from '../../src/portal/app.ts'
import { capacityOf } from '../../src/portal/capacity.ts'
import { PortalRequest } from '../../src/portal/http/request-headers.ts'
import { loadCatalogues } from '../../src/portal/page/i18n/catalogue.ts'
import { loadPortalConfig } from '../../src/portal/settings/load.ts'
import { policyDocuments } from '../../src/portal/verdict/policy-document.ts'
import { SECRET, SESSION_KEY } from '../../test/support/payloads.ts'

export interface InMemoryResponse {
  readonly status: number
  /** Name, value, name, value, … */
  readonly headers: readonly string[]
  readonly body: Buffer
  /** Lines of the log, parsed. */
  readonly logged: readonly Readonly<Record<string, unknown>>[]
}

/** @param now Unix seconds */
export async function startInMemoryPortal(now: number) {
  const { config, policyTexts, privacyTexts } = await loadPortalConfig({
    GATEWAY_CAPTIVE_SECRET_KEY: SESSION_KEY,
    GATEWAY_CAPTIVE_SHARED_SECRET: SECRET,
    GATEWAY_CAPTIVE_DATABASE_URL: 'sqlite://',
    ENGINE_INTERNAL_URL: '',
  })
  const catalogues = await loadCatalogues(config.locales.supported)
  let lines: string[] = []
  const app = createApp({
    config,
    // Unused: acknowledgements are disabled.
    ledger: {} as Ledger,
    capacity: capacityOf(1024),
    catalogues,
    documents: policyDocuments(catalogues, policyTexts),
    privacyTexts,
    sendAcknowledgement: undefined,
    publishedCa: () => undefined,
    clock: () => now * 1000,
    log: pino({ base: null }, { write: (line: string) => void lines.push(line) }),
  })

  /** @throws {Error} when the response is incomplete */
  return (method: string, target: string, headers: readonly string[] = []): InMemoryResponse => {
    lines = []
    const request = new PortalRequest(new Socket())
    Object.assign(request, { method, url: target, rawHeaders: [...headers], httpVersionMajor: 1, httpVersionMinor: 1 })
    const response = new RecordedResponse(request)
    runImmediates(() => app.server.emit('request', request, response))
    request.socket.destroy()
    // The request is logged on close, which does not occur without a connection.
    response.emit('close')
    const { statusCode, written, body } = response
    if (!response.writableEnded) throw new Error('no response')
    return { status: statusCode, headers: written, body, logged: lines.map((line) => JSON.parse(line)) }
  }
}

/** Runs the work and its setImmediate callbacks at once, because the event loop does not run between two inputs. */
function runImmediates(work: () => void): void {
  const callbacks: (() => void)[] = [work]
  const { setImmediate } = globalThis
  Object.assign(globalThis, { setImmediate: (callback: () => void) => callbacks.push(callback) })
  try {
    for (const callback of callbacks) callback()
  } finally {
    Object.assign(globalThis, { setImmediate })
  }
}

class RecordedResponse extends ServerResponse {
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
