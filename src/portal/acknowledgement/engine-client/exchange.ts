// One request to the engine and its whole response, with one timeout and limits.
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { RawResponse } from './response.ts'

const MAXIMUM_BODY_BYTES = 64 * 1024

/** @throws the system's error, or one about a response that is broken or too large */
export function exchange(open: () => ClientRequest, milliseconds: number): Promise<RawResponse | 'late'> {
  return new Promise((resolve, reject) => {
    const request = open()
    // Their size is limited instead: by default Node silently drops headers beyond the first thousand.
    request.maxHeadersCount = 0
    const timeout = setTimeout(() => {
      resolve('late')
      request.destroy()
    }, milliseconds)
    const fail = (error: Error) => {
      clearTimeout(timeout)
      reject(error)
      request.destroy()
    }
    request.on('error', fail)
    // Any connection that ends without a response, 101 included.
    const closedEarly = () => fail(new Error('closed without a response'))
    request.on('close', closedEarly)
    request.on('response', (response) => {
      // From here on, reading the body detects truncation, even if the connection has already ended.
      request.off('close', closedEarly)
      readBody(response).then((body) => {
        clearTimeout(timeout)
        resolve({
          status: response.statusCode ?? 0,
          reasonPhrase: response.statusMessage ?? '',
          rawHeaders: response.rawHeaders,
          body,
        })
        request.destroy()
      }, fail)
    })
    request.end()
  })
}

async function readBody(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > MAXIMUM_BODY_BYTES) throw new Error('body larger than 64 KiB')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
