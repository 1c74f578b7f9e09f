// One call to the engine: for administration, or for a decision.
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { isIP } from 'node:net'
import * as z from 'zod'
import type {
  AdministrationCall,
  AdministrationRequest,
  AdministrationResponse,
} from '../../contract/administration.ts'
import { administrationResponses } from '../../contract/administration-responses.ts'
import { EXIT_FAILED, EXIT_MISUSED, Failure } from '../failure.ts'
import type { Connection } from './connection.ts'

const SECONDS = 30
const MAXIMUM_BYTES = 8 * 1024 * 1024
const TLS_ERROR = /CERT|ERR_TLS|SELF_SIGNED|UNABLE_TO/

const problemShape = z.object({ detail: z.string().optional() })

/** @throws {Failure} for everything but a result */
export async function callEngine<Name extends AdministrationCall>(
  connection: Connection,
  name: Name,
  request: AdministrationRequest<Name>,
  seconds = SECONDS,
): Promise<AdministrationResponse<Name>> {
  const shape = administrationResponses[name] as z.ZodType as z.ZodType<AdministrationResponse<Name>>
  return await call(connection, `/api/admin/${name}`, request, shape, seconds)
}

/** @throws {Failure} for everything but a decision */
export async function requestDecision<Shape extends z.ZodType>(
  connection: Connection,
  body: object,
  shape: Shape,
): Promise<z.output<Shape>> {
  return await call(connection, '/api/decision', body, shape, SECONDS)
}

async function call<Shape extends z.ZodType>(
  connection: Connection,
  path: string,
  body: object,
  shape: Shape,
  seconds: number,
): Promise<z.output<Shape>> {
  const { status, document } = await send(connection, path, JSON.stringify(body), seconds)
  if (status !== 200) throw failureOf(connection, status, document)
  const { data, success } = shape.safeParse(document)
  if (!success) throw new Failure(`unexpected response of ${connection.url.origin}: is it an engine of this version?`)
  return data
}

function failureOf({ url, tokenSource }: Connection, status: number, document: unknown): Failure {
  const { data } = problemShape.safeParse(document)
  const detail = data?.detail
  if (status === 401) return new Failure(`the engine rejects the token of ${tokenSource}`, EXIT_MISUSED)
  if (status === 404 && detail === undefined) {
    return new Failure(`${url.origin} does not have this call: is it an engine of this version?`)
  }
  const exitCode = status === 400 || status === 403 ? EXIT_MISUSED : EXIT_FAILED
  return new Failure(detail === undefined ? `${url.origin} responds with ${status}` : `the engine: ${detail}`, exitCode)
}

/** A policy without one of its lists, for example, keeps it from starting. */
const NOT_RUNNING = 'if the engine does not start, its log and its --check name what to correct'

async function send(
  { url, token, roots, advice }: Connection,
  path: string,
  body: string,
  seconds: number,
): Promise<{ readonly status: number; readonly document: unknown }> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const outgoing = request({
    host,
    port: url.port || 443,
    path,
    method: 'POST',
    headers: {
      host: url.host,
      'user-agent': 'gatewayctl',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      authorization: `Bearer ${token}`,
      connection: 'close',
    },
    agent: false,
    ca: [...roots],
    servername: isIP(host) === 0 ? host : '',
    signal: AbortSignal.timeout(seconds * 1000),
  })
  outgoing.on('response', resolve).on('error', reject).end(body)
  try {
    const response = await promise
    return { status: response.statusCode ?? 0, document: parse(await read(response)) }
  } catch (error) {
    if (error instanceof Failure) throw error
    const { name: kind, code, message } = error as NodeJS.ErrnoException
    const why = kind === 'AbortError' || kind === 'TimeoutError' ? `timed out after ${seconds} s` : (code ?? message)
    const what = TLS_ERROR.test(why)
      ? `the certificate of ${url.origin} is not trusted: ${why}`
      : `no response from ${url.origin}: ${why}`
    const more = [why === 'ECONNREFUSED' ? NOT_RUNNING : undefined, advice].filter((text) => text !== undefined)
    throw new Failure([what, ...more].join('; '))
  }
}

async function read(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MAXIMUM_BYTES) throw new Failure('the response is larger than 8 MiB')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Undefined for what is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
