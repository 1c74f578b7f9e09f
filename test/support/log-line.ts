// Waits for a line of a program's log.
import type { Readable } from 'node:stream'

/** The first line of the stream that matches; undefined when it ends without one. */
export function logLine(stream: Readable, pattern: RegExp): Promise<string | undefined> {
  let text = ''
  return new Promise((resolve) => {
    stream.on('data', (chunk) => {
      text += chunk
      const line = text.split('\n').find((one) => pattern.test(one))
      if (line !== undefined) resolve(line)
    })
    stream.on('end', () => resolve(undefined))
  })
}
