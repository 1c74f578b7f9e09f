// Whole URLs that are too long for a payload, of navigations that can be acknowledged. They are written in the background:
// without one, an acknowledgement leads to the shortened URL.
import { after } from './database-clock.ts'
import type { StateDatabase } from './state-database.ts'

export interface LongUrls {
  /** Stores a URL in the background, if there is room for it. */
  rememberUrl(url: LongUrl): void
  /** Never rejects; undefined without a database, too. */
  findUrl(digest: string): Promise<string | undefined>
}

interface LongUrl {
  readonly digest: string
  readonly url: string
  /** For how long the verdict can be acknowledged. */
  readonly milliseconds: number
}

/** Of at most 8 KB each. */
const CAPACITY = 500
const PER_WRITE = 50

export function createLongUrls({ transactions, clock, rowLimits }: StateDatabase): {
  readonly longUrls: LongUrls
  /** Resolves when all that are waiting have been written or dropped. */
  readonly finish: () => Promise<void>
} {
  const waiting = new Map<string, LongUrl>()
  let writing: Promise<void> | undefined

  async function writeAll(): Promise<void> {
    while (waiting.size > 0) {
      const batch = [...waiting.values().take(PER_WRITE)]
      // What could not be written is dropped.
      await write(batch.slice(0, rowLimits.room('urls'))).catch(() => {})
      for (const url of batch) if (waiting.get(url.digest) === url) waiting.delete(url.digest)
    }
    writing = undefined
  }

  async function write(batch: readonly LongUrl[]): Promise<void> {
    if (batch.length === 0) return
    const now = clock.now()
    const rows = batch.map(({ digest, url, milliseconds }) => ({ digest, url, expires_at: after(now, milliseconds) }))
    await transactions.run('keep URLs', (transaction) =>
      transaction
        .insertInto('engine_url')
        .values(rows)
        .onConflict((conflict) =>
          conflict.column('digest').doUpdateSet(({ ref }) => ({ expires_at: ref('excluded.expires_at') })),
        )
        .execute(),
    )
    rowLimits.added('urls', batch.length)
  }

  return {
    longUrls: {
      rememberUrl(url) {
        const isFull = waiting.size >= CAPACITY && !waiting.has(url.digest)
        if (isFull || rowLimits.room('urls') === 0) return
        waiting.set(url.digest, url)
        writing ??= writeAll()
      },
      async findUrl(digest) {
        const found = waiting.get(digest)
        if (found !== undefined) return found.url
        const reading = transactions.read('find a URL', (transaction) =>
          transaction.selectFrom('engine_url').select('url').where('digest', '=', digest).executeTakeFirst(),
        )
        return (await reading.catch(() => undefined))?.url
      },
    },
    finish: async () => await writing,
  }
}
