// Mail by a real SMTP server (aiosmtpd) and by programs in place of sendmail; a webhook to a real https server.
import assert from 'node:assert/strict'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, type TestContext, test } from 'node:test'
import { type LimitsMs, sendMail } from '../../../src/gatewayctl/alarms/mail.ts'
import { testMessage } from '../../../src/gatewayctl/alarms/message.ts'
import { postMessage } from '../../../src/gatewayctl/alarms/webhook.ts'
import type { AlarmSettings, SmtpServer as SmtpSettings } from '../../../src/settings/sections/alarms.ts'
import { makeServed } from '../../support/certificates.ts'
import { type Cleanup, inReverse } from '../../support/cleanup.ts'
import { listen } from '../../support/listen.ts'
import { skipWithoutOpenssl } from '../../support/requirement.ts'
import {
  bodyOf,
  type SmtpOptions,
  type SmtpServer,
  skipWithoutSmtp,
  startSmtpServer,
} from '../../support/smtp-server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const PASSWORD = 'correct horse battery staple'
const MESSAGE = testMessage('portal.example', Date.UTC(2026, 10, 27))
const skip = skipWithoutSmtp || skipWithoutOpenssl

/** Files of a certificate for localhost, and its CA. */
function certificateFiles(t: Cleanup) {
  const folder = temporaryFolder(t)
  const { ca, leaf } = makeServed('localhost')
  const files = { certificate: join(folder, 'leaf.pem'), key: join(folder, 'key.pem') }
  writeFileSync(files.certificate, leaf.certificate)
  writeFileSync(files.key, leaf.key)
  return { files, roots: ca.certificate, leaf }
}

/** As a server elsewhere: TLS is required. */
const ELSEWHERE: Omit<SmtpSettings, 'port'> = { host: 'localhost', isTls: false, isLoopback: false, user: undefined }

interface Sending extends Partial<SmtpSettings> {
  readonly port: number
  readonly roots?: string
  readonly password?: string
  readonly to?: string[]
  readonly limits?: LimitsMs
}

function send({ roots, password, to = ['it@school.example'], limits, ...server }: Sending): Promise<string> {
  const settings = { to, from: 'gateway@school.example', smtp: { ...ELSEWHERE, ...server } } as unknown as AlarmSettings
  return sendMail(MESSAGE, { settings, password, roots }, limits)
}

const rejection = (promise: Promise<unknown>) =>
  promise.then(
    () => assert.fail('it was sent'),
    (error: Error) => error.message,
  )

describe('SMTP', { skip }, () => {
  const cleanup = inReverse({ after })
  let { roots, secured, implicit, own, refusing } = {} as Servers

  before(async () => {
    const { files, ...made } = certificateFiles(cleanup)
    const options: Readonly<Record<Exclude<keyof Servers, 'roots'>, SmtpOptions>> = {
      secured: { ...files, password: PASSWORD },
      implicit: { ...files, implicit: true },
      own: { answers: ['550 5.1.1 No such user'] },
      refusing: { ...files, answers: ['450 4.2.0 Greylisted', '550 5.1.1 No such user'] },
    }
    const started = Object.entries(options).map(async ([name, one]) => [name, await startSmtpServer(cleanup, one)])
    ;({ roots, secured, implicit, own, refusing } = { ...Object.fromEntries(await Promise.all(started)), ...made })
  })

  test('STARTTLS and a password: the mail arrives, marked as automatic', async () => {
    const { port, mails } = secured
    const answer = await send({
      ...{ port, roots, user: 'gateway', password: PASSWORD },
      to: ['it@school.example', 'b@x.example'],
    })
    assert.match(answer, /^250 2\.0\.0 Ok: queued as 4F2A$/)
    const [mail = assert.fail(), ...others] = await until(() => mails.length > 0 && mails)
    assert.equal(others.length, 0)
    assert.deepEqual([mail.from, mail.to], ['gateway@school.example', ['it@school.example', 'b@x.example']])
    assert.deepEqual([mail.tls, mail.user], [true, 'gateway'])
    assert.match(mail.content, /^Subject: \[portal\.example\] Test of the alarms\r$/m)
    assert.match(mail.content, /^Auto-Submitted: auto-generated\r$/m)
    assert.match(bodyOf(mail), /This is a test/)
  })

  test('TLS from the first byte on', async () => {
    await send({ port: implicit.port, roots, isTls: true })
    assert.equal((await until(() => implicit.mails[0])).tls, true)
  })

  test('of several addresses, one that is rejected keeps the mail from no other', async () => {
    const { port, mails } = own
    const answer = await send({ port, isLoopback: true, to: ['gone@school.example', 'it@school.example'] })
    assert.match(answer, /rejected by localhost: gone@school\.example$/)
    assert.deepEqual((await until(() => mails[0])).to, ['it@school.example'])
  })

  test('this machine’s own server needs no TLS; one elsewhere without STARTTLS gets no mail', async () => {
    const { port, mails } = own
    const before = mails.length
    await assertFails({ port }, /offers no STARTTLS/)
    await send({ port, isLoopback: true })
    await until(() => mails.length > before)
    assert.equal(mails.length, before + 1)
  })

  test('greylisting, and a rejected address', async () => {
    const { port, mails } = refusing
    await assertFails({ port, roots }, /the next round tries again: 450 4\.2\.0 Greylisted/)
    await assertFails({ port, roots }, /550 5\.1\.1 No such user/)
    assert.equal(mails.length, 0)
  })

  test('a wrong password, and a certificate that is not trusted, or of another name, get neither password nor mail', async () => {
    const { port, mails } = secured
    const before = mails.length
    await assertFails({ port, roots, user: 'gateway', password: 'x' }, /rejects the sign-in.*535/)
    const signIn = { port, user: 'gateway', password: PASSWORD }
    await assertFails(signIn, /certificate is not trusted/)
    assert.match(
      await rejection(send({ ...signIn, roots, host: '127.0.0.1' })),
      /certificate is not trusted for 127\.0\.0\.1/,
    )
    assert.equal(mails.length, before)
  })
})

interface Servers extends Readonly<Record<'secured' | 'implicit' | 'own' | 'refusing', SmtpServer>> {
  readonly roots: string
}

async function assertFails(sending: Sending, expected: RegExp): Promise<void> {
  const message = await rejection(send(sending))
  assert.match(message, expected)
  assert.match(message, new RegExp(`^localhost:${sending.port}: `))
  assert.doesNotMatch(message, new RegExp(PASSWORD))
}

describe('a server that hangs costs a bounded time', () => {
  test('silent from the start', async (t) => {
    const port = await listen(t, createTcpServer())
    const began = performance.now()
    assert.match(await rejection(send({ port, limits: { step: 200, total: 5000 } })), /^localhost:\d+: \S/)
    assert.ok(performance.now() - began < 3000)
  })
  test('dripping', async (t) => {
    const server = createTcpServer((socket) => {
      const drip = setInterval(() => socket.write('220-x\r\n'), 50)
      socket.on('error', () => {}).on('close', () => clearInterval(drip))
    })
    const port = await listen(t, server)
    const message = await rejection(send({ port, limits: { step: 2000, total: 500 } }))
    assert.match(message, /no result in 0\.5 s/)
  })
  test('nobody listening', async () => {
    assert.match(await rejection(send({ port: 1 })), /ECONNREFUSED/)
  })
})

describe('sendmail', () => {
  async function run(
    t: TestContext,
    script: string,
    seconds = 5,
  ): Promise<{ promise: Promise<string>; folder: string }> {
    const folder = temporaryFolder(t)
    const program = join(folder, 'sendmail')
    writeFileSync(program, `#!/bin/sh\ncd '${folder}'\n${script}\n`)
    chmodSync(program, 0o755)
    const settings = { to: ['it@school.example'], from: 'a@b.example', sendmail: program } as unknown as AlarmSettings
    const limits = { step: 1000, total: seconds * 1000 }
    return { promise: sendMail(MESSAGE, { settings, password: undefined, roots: undefined }, limits), folder }
  }
  test('gets the mail and the addresses', async (t) => {
    const { promise, folder } = await run(t, 'echo "$@" >arguments; cat >mail')
    await promise
    assert.equal(readFileSync(join(folder, 'arguments'), 'utf8'), '-i -f a@b.example it@school.example\n')
    assert.match(readFileSync(join(folder, 'mail'), 'utf8'), /^Subject: \[portal\.example\] Test[^\r]*$/m)
  })
  test('that fails says why; one that hangs is killed', async (t) => {
    assert.match(
      await rejection((await run(t, 'echo no queue >&2; exit 75')).promise),
      /ended with status 75: no queue$/,
    )
    assert.match(await rejection((await run(t, 'sleep 60', 0.3)).promise), /did not end in 0\.3 s/)
  })
})

describe('webhook', { skip: skipWithoutOpenssl }, () => {
  const { leaf, roots } = skipWithoutOpenssl ? ({} as ReturnType<typeof certificateFiles>) : certificateFiles({ after })

  async function start(t: TestContext, handle: (request: IncomingMessage, response: ServerResponse) => void) {
    const port = await listen(t, createServer({ cert: leaf.certificate, key: leaf.key }, handle))
    return { url: new URL(`https://localhost:${port}/services/T0SECRET`), roots, token: 'token-of-the-hook' }
  }

  test('gets JSON, with the token', async (t) => {
    const seen: string[] = []
    const hook = await start(t, async (request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization}`, await text(request))
      response.writeHead(204).end()
    })
    assert.match(await postMessage(MESSAGE, hook), /^localhost:\d+ answers with 204$/)
    assert.equal(seen[0], 'POST /services/T0SECRET Bearer token-of-the-hook')
    const body = JSON.parse(seen[1] ?? '')
    assert.deepEqual([body.gateway, body.test, body.alarms], ['portal.example', true, []])
    assert.match(body.text, /This is a test/)
  })

  test('an error, a redirect, a wrong certificate and silence are failures, without the address', async (t) => {
    const requests: string[] = []
    const answer = (status: number, headers = {}) =>
      start(t, (request, response) => {
        requests.push(`${request.url}`)
        response.writeHead(status, headers).end('no')
      })
    const wrong = await answer(500)
    const away = await answer(302, { location: 'https://localhost/elsewhere' })
    const other = { ...(await answer(200)), roots: undefined }
    const silent = await start(t, () => {})
    const messages = await Promise.all([
      rejection(postMessage(MESSAGE, wrong)),
      rejection(postMessage(MESSAGE, away)),
      rejection(postMessage(MESSAGE, other)),
      rejection(postMessage(MESSAGE, silent, 300)),
    ])
    assert.match(messages[0] ?? '', /answers with 500$/)
    assert.match(messages[1] ?? '', /answers with 302$/)
    assert.match(messages[2] ?? '', /: (UNABLE_TO|SELF_SIGNED)/)
    assert.match(messages[3] ?? '', /no answer in 0\.3 s$/)
    assert.doesNotMatch(messages.join(), /T0SECRET|token-of-the-hook/)
    assert.equal(requests.length, 2)
  })
})
