// deploy/gateway/update-lists, with a server that answers as those of lists do, and worse.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer as createPlainServer } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { makeServed } from '../support/certificates.ts'
import { hasCommand, skipUnless, skipWithoutOpenssl } from '../support/requirement.ts'

const SCRIPT = fileURLToPath(new URL('../../deploy/gateway/update-lists', import.meta.url))
const NAMES = 'casino.example\nbet.example\npoker.example\n'

interface Page {
  readonly status?: number
  readonly type?: string
  readonly location?: string
  readonly body?: string | Buffer
  /** Ends the connection after half of the body. */
  readonly isCut?: boolean
}

async function start(t: TestContext, pages: Readonly<Record<string, Page>>) {
  const folder = mkdtempSync(join(tmpdir(), 'update-lists-'))
  const { ca, leaf } = makeServed('localhost')
  const server = createServer({ cert: leaf.certificate, key: leaf.key }, (request, response) => {
    const {
      status = 200,
      type = 'text/plain',
      location,
      body = '',
      isCut,
    } = pages[request.url ?? ''] ?? { status: 404 }
    const bytes = Buffer.from(body)
    response.writeHead(status, {
      ...{ 'content-type': type, 'content-length': bytes.length },
      ...(location !== undefined && { location }),
    })
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
  return {
    origin,
    lists,
    path: (name: string) => join(lists, name),
    read: (name: string) => readFileSync(join(lists, name), 'utf8'),
    async update(sources: string, env: NodeJS.ProcessEnv = { CURL_CA_BUNDLE: join(folder, 'ca.pem') }) {
      writeFileSync(join(folder, 'lists.conf'), sources.replaceAll('ORIGIN', origin))
      const child = spawn(SCRIPT, [join(folder, 'lists.conf'), lists], {
        env: { PATH: process.env.PATH, ...env },
        timeout: 20_000,
        killSignal: 'SIGKILL',
      })
      const said = { text: '' }
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said.text += chunk))
      const [status] = await once(child, 'close')
      assert.deepEqual(
        readdirSync(lists).filter((name) => name.startsWith('.')),
        [],
        'nothing is left behind',
      )
      return { status, lines: said.text.trimEnd().split('\n') }
    },
  }
}

const skip = skipWithoutOpenssl || skipUnless(hasCommand('curl'), 'needs curl: apt-get install curl')

test('text, gzip and archives; unchanged lists stay; comments and a last line without an end', { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'archive-'))
  t.after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'adult'))
  writeFileSync(join(folder, 'adult', 'domains'), NAMES)
  writeFileSync(join(folder, 'adult', 'urls'), 'x.example/y\n')
  const archive = execFileSync('tar', ['-C', folder, '-cz', 'adult'], { timeout: 10_000 })
  const { update, read, path } = await start(t, {
    '/a.txt': { body: NAMES },
    '/b.gz': { body: gzipSync(NAMES), type: 'application/gzip' },
    '/c.tar.gz': { body: archive, type: 'application/x-gzip' },
    '/moved': { status: 302, location: '/a.txt' },
  })
  const sources = '# lists\n\na.txt ORIGIN/a.txt\nb.txt\tORIGIN/b.gz\n  c.txt ORIGIN/c.tar.gz\nd.txt ORIGIN/moved'
  const names = ['a.txt', 'b.txt', 'c.txt', 'd.txt']
  assert.deepEqual(await update(sources), { status: 0, lines: names.map((name) => `${name}: updated`) })
  for (const name of names) {
    assert.equal(read(name), NAMES)
    assert.equal(statSync(path(name)).mode & 0o777, 0o644)
  }
  const { ino } = statSync(path('a.txt'))
  assert.deepEqual(await update(sources), { status: 0, lines: names.map((name) => `${name}: unchanged`) })
  assert.equal(statSync(path('a.txt')).ino, ino)
})

test('what is no list does not replace one, and the others are updated', { skip }, async (t) => {
  const plain = createPlainServer((_, response) => response.end(NAMES)).listen(0, 'localhost')
  await once(plain, 'listening')
  t.after(() => {
    plain.closeAllConnections()
    plain.close()
  })
  const page = '<!DOCTYPE html><title>Sign in</title>'
  const { update, read, path } = await start(t, {
    '/good.txt': { body: 'new.example\n'.repeat(10) },
    '/html': { body: NAMES, type: 'text/html; charset=utf-8' },
    '/disguised': { body: `\n\n  ${page}${'x'.repeat(1000)}` },
    '/empty': {},
    '/blank': { body: '\n \n'.repeat(500) },
    '/short': { body: 'casino.example\n' },
    '/cut': { body: NAMES.repeat(10), isCut: true },
    '/error': { status: 500, body: NAMES },
    '/http': { status: 302, location: `http://localhost:${(plain.address() as AddressInfo).port}/` },
    '/file': { status: 302, location: 'file:///etc/passwd' },
    '/broken.gz': { body: gzipSync(NAMES).subarray(0, 20), type: 'application/gzip' },
    '/text.tar.gz': { body: NAMES },
  })
  const faults: readonly (readonly [place: string, reason: RegExp])[] = [
    ['ORIGIN/html', /the download is a web page$/],
    ['ORIGIN/disguised', /the download is a web page$/],
    ['ORIGIN/empty', /the download is empty$/],
    ['ORIGIN/blank', /the download is empty$/],
    ['ORIGIN/short', /less than half as long as the current list; remove that one to accept it$/],
    ['ORIGIN/cut', /curl: /],
    ['ORIGIN/error', /curl: .*500/],
    ['ORIGIN/missing', /curl: .*404/],
    ['ORIGIN/http', /curl: /],
    ['ORIGIN/file', /curl: /],
    ['ORIGIN/broken.gz', /gzip: /],
    ['ORIGIN/text.tar.gz', /tar: |gzip: /],
    ['http://localhost/list', /the address must begin with https:\/\/$/],
    ['file:///etc/passwd', /the address must begin with https:\/\/$/],
    ['', /the address must begin with https:\/\/$/],
    ['ORIGIN/good.txt more', /there is more than a name and an address$/],
  ]
  for (const [place, reason] of faults) {
    writeFileSync(path('list.txt'), NAMES)
    const { status, lines } = await update(`list.txt ${place}\ngood.txt ORIGIN/good.txt\n`)
    assert.equal(status, 1, place)
    assert.equal(lines.length, 2, lines.join('\n'))
    const [problem = ''] = lines.filter((line) => line.startsWith('list.txt: '))
    assert.match(problem, reason, place)
    assert.equal(read('list.txt'), NAMES)
    assert.match(lines.join(), /good\.txt: (updated|unchanged)/)
  }
  for (const name of ['../list.txt', '/tmp/list.txt', '.hidden', 'a$b', '-o']) {
    const { status, lines } = await update(`${name} ORIGIN/good.txt`)
    assert.equal(status, name === '-o' ? 0 : 1, lines.join())
  }
  // The system's certificates do not include that of this server.
  const { lines } = await update('list.txt ORIGIN/good.txt', {})
  assert.match(lines.join(), /^list\.txt: curl: \(60\)/)
})

test('a link in place of a list is replaced, not followed; a folder that cannot be written is an error', {
  skip,
}, async (t) => {
  const { update, lists, path, read } = await start(t, { '/a.txt': { body: NAMES } })
  const elsewhere = join(lists, '..', 'elsewhere')
  writeFileSync(elsewhere, 'unchanged')
  symlinkSync(elsewhere, path('a.txt'))
  assert.deepEqual(await update('a.txt ORIGIN/a.txt'), { status: 0, lines: ['a.txt: updated'] })
  assert.equal(readFileSync(elsewhere, 'utf8'), 'unchanged')
  assert.equal(read('a.txt'), NAMES)
  if (process.getuid?.() !== 0) {
    chmodSync(lists, 0o555)
    assert.equal((await update('a.txt ORIGIN/a.txt')).status, 1)
    chmodSync(lists, 0o755)
  }
})
