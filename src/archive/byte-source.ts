// A stream read by numbers of bytes, as the formats of archives demand it.

export interface ByteSource {
  /** The next bytes, which stay in the source; fewer than this many at its end. */
  peek(count: number): Promise<Buffer>
  /** @throws {Error} when it has fewer bytes */
  read(count: number): Promise<Buffer>
  /** What comes next, at least one byte and at most this many; none at its end. */
  some(most?: number): Promise<Buffer>
  rest(): AsyncGenerator<Buffer, void, undefined>
}

export function byteSource(chunks: AsyncIterable<Buffer>): ByteSource {
  const iterator = chunks[Symbol.asyncIterator]()
  let ahead: Buffer = Buffer.alloc(0)

  async function peek(count: number): Promise<Buffer> {
    while (ahead.length < count) {
      const { value, done } = await iterator.next()
      if (done) break
      ahead = ahead.length === 0 ? value : Buffer.concat([ahead, value])
    }
    return ahead.subarray(0, count)
  }

  async function some(most = Infinity): Promise<Buffer> {
    await peek(Math.min(most, 1))
    const bytes = ahead.subarray(0, most)
    ahead = ahead.subarray(bytes.length)
    return bytes
  }

  return {
    peek,
    some,
    async read(count) {
      if ((await peek(count)).length < count) throw new Error('the archive is cut')
      return await some(count)
    },
    async *rest() {
      try {
        for (let bytes = await some(); bytes.length > 0; bytes = await some()) yield bytes
      } finally {
        await iterator.return?.()
      }
    },
  }
}
