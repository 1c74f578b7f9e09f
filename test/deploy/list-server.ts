// deploy/engine/update-lists, with a server that answers as those of lists do, and worse.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { makeServed } from '../support/certificates.ts'
import { hasCommand, skipUnless, skipWithoutOpenssl } from '../support/requirement.ts'

export const skipWithoutCurl = skipWithoutOpenssl || skipUnless(hasCommand('curl'), 'needs curl: apt-get install curl')

const SCRIPT = fileURLToPath(new URL('../../deploy/engine/update-lists', import.meta.url))
/** Of its unit: MemoryMax. */
const MEMORY_KIB = 256 * 1024

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

export async function startListServer(t: TestContext, pages: Readonly<Record<string, Page>>) {
  const folder = mkdtempSync(join(tmpdir(), 'update-lists-'))
  const { ca, leaf } = makeServed('localhost')
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
    if (!isCut) return response.end(bytes)
    return response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true })
  })
  writeFileSync(join(folder, 'ca.pem'), ca.certificate)
  const lists = join(folder, 'lists')
  mkdirSync(lists)
  const origin = `https://localhost:${(server.address() as AddressInfo).port}`
  let longestSeen = 0
  const look = () => {
    for (const name of names(lists)) {
      for (const path of [name, ...names(join(lists, name)).map((inner) => join(name, inner))]) {
        longestSeen = Math.max(longestSeen, statSync(join(lists, path), { throwIfNoEntry: false })?.size ?? 0)
      }
    }
  }
  return {
    origin,
    lists,
    path: (name: string) => join(lists, name),
    read: (name: string) => readFileSync(join(lists, name), 'utf8'),
    /** The length of the longest file that has been in the folder during an update. */
    longestSeen: () => longestSeen,
    async update(
      sources: string,
      env: NodeJS.ProcessEnv = { CURL_CA_BUNDLE: join(folder, 'ca.pem') },
      encoding: BufferEncoding = 'utf8',
    ) {
      writeFileSync(join(folder, 'lists.conf'), sources.replaceAll('ORIGIN', origin), encoding)
      const limited = `ulimit -v ${MEMORY_KIB}; exec "$@"`
      const child = spawn('sh', ['-c', limited, 'sh', SCRIPT, join(folder, 'lists.conf'), lists], {
        env: { PATH: process.env.PATH, ...env },
        timeout: 60_000,
        killSignal: 'SIGKILL',
      })
      const said = { text: '' }
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said.text += chunk))
      const looking = setInterval(look, 10)
      const [status] = await once(child, 'close').finally(() => clearInterval(looking))
      look()
      assert.deepEqual(
        readdirSync(lists).filter((name) => name.startsWith('.')),
        [],
        'nothing is left behind',
      )
      return { status, lines: said.text.trimEnd().split('\n') }
    },
  }
}

/** Those of a folder; none if there is no such folder. */
function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
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
