// A request's JSON body, read up to a limit.
import type { IncomingMessage } from 'node:http'
import { type ApiResponse, problem } from './responses.ts'

const MAXIMUM_BYTES = 64 * 1024

export type JsonBody =
  | { readonly json: unknown; readonly refused?: undefined }
  /** The response to a body that is not accepted. */
  | { readonly refused: ApiResponse }

export async function readJson(request: IncomingMessage): Promise<JsonBody> {
  if (!/^application\/json *(?:;|$)/i.test(request.headers['content-type'] ?? '')) return { refused: problem(415) }
  const body = await readBody(request)
  if (body === undefined) return { refused: problem(413) }
  try {
    return { json: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) }
  } catch {
    return { refused: problem(400, 'The body is not JSON.') }
  }
}

/** The body; undefined when it is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MAXIMUM_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
