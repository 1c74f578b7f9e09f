// A real SMTP server: Debian's aiosmtpd, with STARTTLS or TLS, a password, and answers that it gives first.
import { spawn, spawnSync } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Cleanup } from './cleanup.ts'
import { freePort } from './free-port.ts'
import { skipUnless } from './requirement.ts'
import { until } from './until.ts'

/** Debian's, which finds Debian's packages. */
const PYTHON = '/usr/bin/python3'

export const skipWithoutSmtp = skipUnless(
  spawnSync(PYTHON, ['-c', 'import aiosmtpd']).status === 0,
  'needs aiosmtpd: apt-get install python3-aiosmtpd',
)

export interface SmtpOptions {
  /** Files in PEM; without them there is no TLS. */
  readonly certificate?: string
  readonly key?: string
  /** TLS from the first byte on, instead of STARTTLS. */
  readonly implicit?: true
  /** Without it nobody signs in. */
  readonly password?: string
  /** To the first RCPTs. */
  readonly answers?: readonly string[]
}

export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** Headers and body as sent. */
  readonly content: string
  readonly tls: boolean
  readonly user: string | null
}

export interface SmtpServer {
  readonly port: number
  readonly mails: readonly ReceivedMail[]
}

const PROGRAM = fileURLToPath(new URL('smtp-server.py', import.meta.url))

export async function startSmtpServer(t: Cleanup, options: SmtpOptions = {}): Promise<SmtpServer> {
  const port = await freePort()
  const mails: ReceivedMail[] = []
  const server = spawn(PYTHON, [PROGRAM, JSON.stringify({ ...options, port })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(async () => void server.kill('SIGKILL'))
  let isListening = false
  createInterface({ input: server.stdout }).on('line', (line) => {
    if (line.startsWith('{')) mails.push(JSON.parse(line))
    else isListening = true
  })
  await until(() => isListening || server.exitCode !== null)
  if (!isListening) throw new Error(`the SMTP server ended with status ${server.exitCode}`)
  return { port, mails }
}

/** The decoded body of a mail in one part. */
export function bodyOf({ content }: ReceivedMail): string {
  const [head = '', body = ''] = content.replaceAll('\r\n', '\n').split(/\n\n(.*)/s, 2)
  if (!/^content-transfer-encoding: quoted-printable$/im.test(head)) return body
  const bytes = body
    .replaceAll('=\n', '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
