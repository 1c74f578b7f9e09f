// `engine update-lists`, with the permissions of its unit and a server that answers as those of lists do, and worse.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { type DownloadOptions, download } from '../../../src/engine/update-lists/download.ts'
import { makeServed } from '../../support/certificates.ts'
import { COMPILE_CACHE } from '../../support/compile-cache.ts'
import { listen } from '../../support/listen.ts'
import { nodeFlags } from '../../support/node-flags.ts'
import { peakBytes } from '../../support/processes.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

/** Less than MemoryMax of its unit. */
const MEMORY_BYTES = 200 * 1024 ** 2

interface Page {
  readonly status?: number
  readonly type?: string
  readonly location?: string
  readonly body?: string | Buffer
  /** Announced; by default that of the body. */
  readonly length?: number
  /** Ends the connection after half of the body. */
  readonly isCut?: boolean
  /** Repeats the body until the client closes the connection. Its length is not announced. */
  readonly isEndless?: boolean
}

/** Made once, because that takes a while. */
let served: ReturnType<typeof makeServed> | undefined

export async function startListServer(t: TestContext, pages: Readonly<Record<string, Page>>) {
  const folder = temporaryFolder(t)
  served ??= makeServed('localhost')
  const { ca, leaf } = served
  const server = createServer({ cert: leaf.certificate, key: leaf.key }, (request, response) => {
    const {
      status = 200,
      type = 'text/plain',
      location,
      body = '',
      length = Buffer.byteLength(body),
      isCut,
      isEndless,
    } = pages[request.url ?? ''] ?? { status: 404 }
    const bytes = Buffer.from(body)
    response.writeHead(status, {
      'content-type': type,
      ...(!isEndless && { 'content-length': length }),
      ...(location !== undefined && { location }),
    })
    if (isEndless) {
      const repeat = () => {
        while (!response.destroyed && response.write(bytes)) {}
      }
      response.on('drain', repeat)
      return repeat()
    }
    if (!isCut && length > bytes.length) return response.write(bytes)
    if (!isCut) return response.end(bytes)
    return response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
  })
  writeFileSync(join(folder, 'ca.pem'), ca.certificate)
  const lists = join(folder, 'lists')
  mkdirSync(lists)
  const origin = `https://localhost:${await listen(t, server)}`
  let longestSeen = 0
  let peak = 0
  const look = (pid: number) => {
    peak = Math.max(peak, peakBytes(pid) || 0)
    for (const path of filesIn(lists)) {
      longestSeen = Math.max(longestSeen, statSync(path, { throwIfNoEntry: false })?.size ?? 0)
    }
  }
  const trust = { SSL_CERT_FILE: join(folder, 'ca.pem') }
  const run = (...args: readonly string[]) => runWith(trust, args)
  async function runWith(env: NodeJS.ProcessEnv, args: readonly string[], signal?: NodeJS.Signals) {
    const flags = nodeFlags({ read: [folder], write: [lists] })
    const child = spawn(process.execPath, [...flags, 'src/engine/main.ts', 'update-lists', ...args], {
      env: { PATH: process.env.PATH, ...COMPILE_CACHE, ...env },
      timeout: 60_000,
      killSignal: 'SIGKILL',
    })
    const isUnfinished = () => readdirSync(lists).some((name) => name.startsWith('.'))
    // Once there is an unfinished list.
    if (signal !== undefined) until(isUnfinished).then(() => child.kill(signal))
    const said = { text: '' }
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said.text += chunk))
    const looking = setInterval(() => look(child.pid as number), 10)
    const [status] = await once(child, 'close').finally(() => clearInterval(looking))
    look(child.pid as number)
    assert.ok(peak < MEMORY_BYTES, `${peak} bytes of memory`)
    assert.ok(!isUnfinished(), 'something is left behind')
    return { status, lines: said.text.trimEnd().split('\n') }
  }
  return {
    origin,
    lists,
    path: (name: string) => join(lists, name),
    read: (name: string) => readFileSync(join(lists, name), 'utf8'),
    /** The length of the longest file that has been in the folder during an update. */
    longestSeen: () => longestSeen,
    trust,
    run,
    async update(
      sources: string,
      env: NodeJS.ProcessEnv = trust,
      encoding: BufferEncoding = 'utf8',
      signal?: NodeJS.Signals,
    ) {
      const conf = join(folder, 'lists.conf')
      writeFileSync(conf, sources.replaceAll('ORIGIN', origin), encoding)
      return await runWith(env, [conf, lists], signal)
    },
    /** In this process. */
    async download(path: string, limits: Pick<DownloadOptions, 'totalMs' | 'idleMs'>) {
      const before = getCACertificates('default')
      setDefaultCACertificates([ca.certificate])
      try {
        for await (const _ of download(new URL(path, origin), { ...limits, env: {}, stop: new AbortController() }));
      } finally {
        setDefaultCACertificates(before)
      }
    },
  }
}

/** Also those in its folders; it may change meanwhile. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [path]
  })
}

/** The content that many times: it compresses to a thousandth. */
export function gzipRepeated(content: Buffer, times: number): Buffer {
  return Buffer.concat(Array<Buffer>(times).fill(gzipSync(content)))
}

/** The header of a file in an archive. */
export function tarHeader(name: string, size: number, type = '0'): Buffer {
  const header = Buffer.alloc(512)
  const write = (text: string, offset: number) => header.write(text, offset)
  write(name, 0)
  write('0000644', 100)
  write(size.toString(8).padStart(11, '0'), 124)
  write(type, 156)
  write('ustar\u000000', 257)
  // The checksum counts its own field as spaces.
  const sum = header.reduce((total, byte) => total + byte, 8 * 0x20)
  write(sum.toString(8).padStart(6, '0'), 148)
  write(' ', 155)
  return header
}

/** A tar archive of these files. */
export function archiveOf(files: Readonly<Record<string, string | Buffer>>): Buffer {
  const parts = Object.entries(files).flatMap(([name, content]) => {
    const bytes = Buffer.from(content)
    return [tarHeader(name, bytes.length), bytes, Buffer.alloc(-bytes.length & 511)]
  })
  return Buffer.concat([...parts, Buffer.alloc(1024)])
}
