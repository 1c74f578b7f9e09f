// The helper that Squid asks which hosts a rule names, against engines that do all they should not.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer as createTlsServer } from 'node:tls'
import { toEnvironment } from '../../src/proxy/ruled-hosts/hosts-service.ts'
import { makeServed } from '../support/certificates.ts'
import type { Cleanup } from '../support/cleanup.ts'
import { COMPILE_CACHE } from '../support/compile-cache.ts'
import { freePort } from '../support/free-port.ts'
import { listen } from '../support/listen.ts'
import { skipWithoutLinux, skipWithoutOpenssl } from '../support/requirement.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const TOKEN = 'a-token-of-sixteen-characters'
const yes = (id: number) => `${id} OK ruled_=yes`
const no = (id: number) => `${id} OK ruled_=no`

/** @param authorities of an icaps:// service, for localhost: a file with certificates */
function startHelper(t: Cleanup, { port, authorities }: { readonly port: number; readonly authorities?: string }) {
  const isTls = authorities !== undefined
  const service = { host: isTls ? 'localhost' : '127.0.0.1', port, isTls, token: TOKEN }
  const child = spawn(process.execPath, ['src/proxy/ruled-hosts.ts', ...(isTls ? [authorities] : [])], {
    env: { ...COMPILE_CACHE, ...toEnvironment(service) },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.after(async () => child.kill('SIGKILL'))
  child.stdin.on('error', () => {})
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  const answers = () => output.split('\n').slice(0, -1)
  const write = (text: string) => void child.stdin.write(text)
  return {
    ...{ process: child, ended: once(child, 'exit'), write },
    /** Resolves once it is connected to the engine: until then, questions may be too late. */
    async connected() {
      const isConnected = async () => {
        output = ''
        write('0 www.example -\n')
        await until(() => output !== '')
        return output === `${no(0)}\n`
      }
      await until(isConnected, 20, 50)
      output = ''
    },
    /** Resolves with its answers, in the order of their numbers, once there are so many. */
    async answered(count: number): Promise<readonly string[]> {
      await until(() => answers().length >= count, 30)
      return answers().toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
    },
  }
}

interface Request {
  readonly text: string
  readonly hosts: readonly string[]
}

/** Responds to each request as told; by default that hosts below `ruled.example` are ruled. */
async function startEngine(t: Cleanup, respond = respondProperly, server = createServer()) {
  const requests: Request[] = []
  const engine = { server, requests, connections: 0, port: 0 }
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    engine.connections++
    socket.on('error', () => {})
    let unread = ''
    socket.on('data', (chunk) => {
      unread += chunk
      for (let end = unread.indexOf('\r\n\r\n'); end !== -1; end = unread.indexOf('\r\n\r\n')) {
        const text = unread.slice(0, end)
        unread = unread.slice(end + 4)
        const request = { text, hosts: [...text.matchAll(/^X-Host: (.*)\r?$/gm)].map(([, host = '']) => host) }
        requests.push(request)
        respond(socket, request)
      }
    })
  })
  engine.port = await listen(t, server)
  return engine
}

const TlsServer = createTlsServer().constructor as new () => Server
const fields = (ruled: readonly string[]) => ruled.map((one) => `X-Ruled: ${one}\r\n`).join('')
const response = (ruled: readonly string[]) =>
  `ICAP/1.0 200 OK\r\nISTag: "policy"\r\n${fields(ruled)}Encapsulated: null-body=0\r\n\r\n`
const all = (request: Request, value: string) => request.hosts.map(() => value)

function respondProperly(socket: Socket, { hosts }: Request): void {
  socket.write(response(hosts.map((host) => (host.endsWith('ruled.example') ? 'yes' : 'no'))))
}

// Most tests share these.
let respondNow: (socket: Socket, request: Request) => unknown = respondProperly
const shared = await startEngine({ after }, (socket, request) => respondNow(socket, request))
const helper = startHelper({ after }, shared)

describe('an engine that answers', () => {
  test('is asked about each host, with the token, and each answer has the number of its question', async () => {
    await helper.connected()
    const { connections } = shared
    helper.write('7 www.example -\n8 ruled.example -\n9 192.0.2.1\n')
    assert.deepEqual(await helper.answered(3), [no(7), yes(8), no(9)])
    helper.write('1 %5B2001:db8::1%5D -\n')
    assert.deepEqual(await helper.answered(4), [no(1), no(7), yes(8), no(9)])
    assert.deepEqual(
      shared.requests.slice(-2).map(({ hosts }) => hosts),
      [['www.example', 'ruled.example', '192.0.2.1'], ['[2001:db8::1]']],
    )
    const authority = `127.0.0.1:${shared.port}`
    assert.equal(
      shared.requests.at(-1)?.text,
      `HOSTS icap://${authority}/hosts ICAP/1.0\r\nHost: ${authority}\r\nX-Engine-Token: ${TOKEN}\r\nX-Host: [2001:db8::1]`,
    )
    assert.equal(shared.connections, connections)
  })

  test('is asked about at most 100 hosts at once, and not again before it has answered', async () => {
    await helper.connected()
    const before = shared.requests.length
    let [unanswered, most] = [0, 0]
    respondNow = (socket, request) => {
      most = Math.max(most, ++unanswered)
      setTimeout(() => {
        unanswered--
        respondProperly(socket, request)
      }, 5)
    }
    const numbers = Array.from({ length: 1_000 }, (_, index) => index)
    helper.write(numbers.map((id) => `${id} www${id}.example -\n`).join(''))
    assert.deepEqual(await helper.answered(1_000), numbers.map(no))
    respondNow = respondProperly
    const requests = shared.requests.slice(before)
    assert.ok(requests.every(({ hosts }) => hosts.length <= 100))
    assert.ok(requests.length < 20, `${requests.length} requests`)
    assert.equal(most, 1)
  })

  test('may do so in pieces', async () => {
    await helper.connected()
    respondNow = async (socket, request) => {
      for (const character of response(all(request, 'no'))) {
        socket.write(character)
        await sleep(1)
      }
    }
    helper.write('1 www.example -\n')
    assert.deepEqual(await helper.answered(1), [no(1)])
    respondNow = respondProperly
  })

  test('may close the connection while it is not used', async (t) => {
    const engine = await startEngine(t, (socket, request) => {
      socket.end(response(all(request, 'no')))
    })
    const helper = startHelper(t, engine)
    await helper.connected()
    for (const id of [1, 2, 3]) {
      await until(
        () => new Promise((resolve) => engine.server.getConnections((_, count) => resolve(id === 1 || count === 0))),
      )
      helper.write(`${id} www.example -\n`)
      assert.deepEqual(await helper.answered(id), [1, 2, 3].slice(0, id).map(no))
    }
  })

  test('over TLS', { skip: skipWithoutOpenssl }, async (t) => {
    const folder = temporaryFolder(t)
    const served = makeServed('localhost')
    const [right, wrong] = [served, makeServed('localhost')].map(({ ca }, index) => {
      writeFileSync(join(folder, `${index}.pem`), ca.certificate)
      return join(folder, `${index}.pem`)
    }) as [string, string]
    const server = createTlsServer({ cert: served.leaf.certificate, key: served.leaf.key })
    const engine = await startEngine(t, respondProperly, server)
    const trusting = startHelper(t, { port: engine.port, authorities: right })
    await trusting.connected()
    trusting.write('1 www.example -\n')
    assert.deepEqual(await trusting.answered(1), [no(1)])
    const sceptical = startHelper(t, { port: engine.port, authorities: wrong })
    sceptical.write('1 untrusted.example -\n')
    assert.deepEqual(await sceptical.answered(1), [yes(1)])
    assert.ok(engine.requests.every(({ hosts }) => !hosts.includes('untrusted.example')))
  })
})

describe('every host is ruled for an engine', () => {
  /** Writes the usual response after a change. */
  const changed = (change: (usual: string) => string | Buffer) => (socket: Socket, request: Request) =>
    socket.write(change(response(all(request, 'no'))))
  const fewerOrMore =
    (length: number) =>
    (socket: Socket, { hosts }: Request) =>
      socket.write(response(Array<string>(hosts.length + length).fill('no')))
  const WRONG: Readonly<Record<string, (socket: Socket, request: Request) => unknown>> = {
    'that never responds': () => {},
    'that closes the connection': (socket) => socket.end(),
    'that resets the connection': (socket) => socket.resetAndDestroy(),
    'that closes the connection within its response': (socket, request) =>
      socket.end(response(all(request, 'no')).slice(0, -2)),
    'that answers about fewer hosts': fewerOrMore(-1),
    'that answers about more hosts': fewerOrMore(1),
    'that answers with another word': changed((usual) => usual.replaceAll(': no', ': maybe')),
    'that answers in capitals': changed((usual) => usual.replaceAll(': no', ': NO')),
    'that responds 204': changed(() => 'ICAP/1.0 204 No Modifications\r\nEncapsulated: null-body=0\r\n\r\n'),
    'that refuses the token': changed((usual) => usual.replace('200 OK', '403 Forbidden')),
    'that is older': changed(() => 'ICAP/1.0 404 ICAP Service not found\r\nEncapsulated: null-body=0\r\n\r\n'),
    'that speaks HTTP': changed((usual) => usual.replace('ICAP/1.0', 'HTTP/1.1')),
    'that sends no text': changed(() => Buffer.alloc(1_000, 0xff)),
    'that sends a line without a name': changed((usual) => usual.replace('ISTag:', 'ISTag')),
    'that folds a line': changed((usual) => usual.replace('ISTag', ' ISTag')),
    'that announces a body': changed((usual) => usual.replace('null-body', 'opt-body')),
    'that sends more than its response': changed((usual) => `${usual}I`),
    'that responds twice': changed((usual) => usual + usual),
    'that never ends its response': (socket) => {
      const sending = setInterval(() => socket.write('X-Ruled: no\r\n'.repeat(500)), 5)
      socket.on('close', () => clearInterval(sending))
    },
  }
  for (const [name, respond] of Object.entries(WRONG)) {
    test(name, async () => {
      await helper.connected()
      const asked = shared.requests.length
      respondNow = respond
      helper.write('1 a.example -\n2 b.example -\n')
      assert.deepEqual(await helper.answered(2), [yes(1), yes(2)])
      assert.ok(shared.requests.length > asked)
      respondNow = respondProperly
      await helper.connected()
      helper.write('3 c.example -\n')
      assert.deepEqual(await helper.answered(1), [no(3)])
    })
  }

  test('that does not listen, until it does', async (t) => {
    const port = await freePort()
    const helper = startHelper(t, { port })
    helper.write('1 www.example -\n')
    assert.deepEqual(await helper.answered(1), [yes(1)])
    const server = createServer((socket) => socket.on('data', () => socket.write(response(['no']))))
    server.listen(port, '127.0.0.1')
    t.after(() => server.close())
    await helper.connected()
  })

  test('that accepts no connection', async (t) => {
    const engine = await startEngine(t, () => assert.fail('not accepted'), createServer({ pauseOnConnect: true }))
    const helper = startHelper(t, engine)
    helper.write('1 www.example -\n')
    assert.deepEqual(await helper.answered(1), [yes(1)])
  })

  test('that responds too late, without taking that for the next response', async (t) => {
    const engine = await startEngine(t, async (socket, request) => {
      if (request.hosts.includes('slow.example')) await sleep(350)
      respondProperly(socket, request)
    })
    const helper = startHelper(t, engine)
    helper.write('1 slow.example -\n')
    await until(() => engine.requests.length > 0)
    const started = performance.now()
    helper.write('2 ruled.example -\n')
    assert.deepEqual(await helper.answered(2), [yes(1), yes(2)])
    const milliseconds = performance.now() - started
    assert.ok(milliseconds < 340, `${milliseconds} ms`)
    await helper.connected()
    helper.write('3 ruled.example -\n4 www.example -\n')
    assert.deepEqual(await helper.answered(2), [yes(3), no(4)])
  })

  // Several: whether the timer or the response comes first is chance.
  test('whose response comes while the helper is stopped', { skip: skipWithoutLinux }, async (t) => {
    const stopAndContinue = async () => {
      const engine = await startEngine(t, async (socket, request) => {
        helper.process.kill('SIGSTOP')
        respondProperly(socket, request)
      })
      const helper = startHelper(t, engine)
      helper.write('1 www.example -\n')
      await until(() => engine.requests.length > 0)
      await sleep(300)
      helper.process.kill('SIGCONT')
      return await helper.answered(1)
    }
    const answers = await Promise.all(Array.from({ length: 6 }, stopAndContinue))
    assert.deepEqual(new Set(answers.flat()), new Set([yes(1)]))
  })
})

describe('Squid', () => {
  test('may write a line in pieces, and lines with anything in them', async () => {
    await helper.connected()
    const before = shared.requests.length
    for (const piece of ['1 www.', 'example', ' -', '\n2', ' ', 'ruled.example -\n', '3 ']) {
      helper.write(piece)
      await sleep(20)
    }
    const hostile = ['a%0D%0AX-Host:%20b', 'a%20b', '%', 'ü'.repeat(10), 'a'.repeat(1_000), '%00', '-', '""']
    helper.write(`www.example -\n${hostile.map((host, index) => `${index + 10} ${host} -\n`).join('')}`)
    helper.write('no number\n\n \n-1 www.example\nx www.example\n99 www.example')
    helper.write('\n100\n101 \n')
    const answers = await helper.answered(12)
    assert.deepEqual(
      answers.map((line) => Number.parseInt(line, 10)),
      [1, 2, 3, 10, 11, 12, 13, 14, 15, 16, 17, 99],
    )
    assert.deepEqual([answers[0], answers[1], answers[2], answers.at(-1)], [no(1), yes(2), no(3), no(99)])
    const asked = shared.requests.slice(before).flatMap(({ hosts }) => hosts)
    for (const host of asked) assert.match(host, /^[\x21-\x7e]{1,255}$/)
    assert.ok(!asked.includes('b'))
  })

  test('may stop reading: no answer is lost, and none is repeated', async () => {
    await helper.connected()
    helper.process.stdout?.pause()
    const numbers = Array.from({ length: 100_000 }, (_, index) => index)
    helper.write(numbers.map((id) => `${id} www${id}.example -\n`).join(''))
    await sleep(500)
    helper.process.stdout?.resume()
    const answers = await helper.answered(numbers.length)
    assert.deepEqual(
      answers.map((line) => Number.parseInt(line, 10)),
      numbers,
    )
  })

  test('takes the helper with it', async (t) => {
    const engine = await startEngine(t)
    for (const end of ['closes its input', 'does not read any more'] as const) {
      const helper = startHelper(t, engine)
      helper.write('1 www.example -\n')
      await helper.answered(1)
      // As systemd stops a unit: the helper still answers until Squid has ended.
      helper.process.kill('SIGTERM')
      await sleep(50)
      helper.write('2 www.example -\n')
      await helper.answered(2)
      if (end === 'closes its input') helper.process.stdin?.end()
      else {
        helper.process.stdout?.destroy()
        helper.write('3 www.example -\n')
      }
      assert.deepEqual(await helper.ended, [0, null], end)
    }
  })

  test('shows the token to nobody', { skip: skipWithoutLinux }, () => {
    const { pid } = helper.process
    assert.doesNotMatch(readFileSync(`/proc/${pid}/cmdline`, 'utf8'), new RegExp(TOKEN))
  })
})
