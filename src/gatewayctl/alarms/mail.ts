// One mail, by SMTP or by the system's sendmail. TLS is verified, and required beyond this machine.
import { hostname } from 'node:os'
import type { AlarmSettings, SmtpServer } from '../../settings/sections/alarms.ts'
import { run } from '../deployment/run-program.ts'
import { Failure } from '../failure.ts'
import { harmless } from './cause.ts'
import type { Message } from './message.ts'

interface MailOptions {
  readonly settings: AlarmSettings
  readonly password: string | undefined
  readonly roots: string | undefined
}

/** In milliseconds: for each step, and for all together. */
export interface LimitsMs {
  readonly step: number
  readonly total: number
}

const LIMITS: LimitsMs = { step: 15_000, total: 60_000 }

/** @returns the server's answer. @throws {Failure} */
export async function sendMail(
  message: Message,
  { settings, password, roots }: MailOptions,
  limits = LIMITS,
): Promise<string> {
  const { smtp, sendmail, to = [] } = settings
  const from = settings.from ?? to[0] ?? ''
  const content = {
    from,
    to: [...to],
    subject: message.subject,
    text: message.text,
    // RFC 3834: no automatic reply.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
  if (smtp !== undefined) return await bySmtp(smtp, content, { password, roots }, limits)
  return await bySendmail(sendmail ?? '', content, limits)
}

type Content = { readonly from: string; readonly to: string[]; readonly [key: string]: unknown }

/** Loaded here alone. */
const nodemailer = async () => await import('nodemailer')

async function bySmtp(
  server: SmtpServer,
  content: Content,
  { password, roots }: Pick<MailOptions, 'password' | 'roots'>,
  { step, total }: LimitsMs,
): Promise<string> {
  const { host, port, isTls, isLoopback, user } = server
  const { createTransport } = await nodemailer()
  const transport = createTransport({
    ...{ host, port, secure: isTls, name: nameForEhlo() },
    // A mail server on this machine often has a certificate of its own making.
    ...(isLoopback ? { ignoreTLS: !isTls } : { requireTLS: !isTls }),
    ...(user !== undefined && { auth: { user, pass: password ?? '' } }),
    tls: { minVersion: 'TLSv1.2', ...(roots !== undefined && { ca: roots }) },
    ...{ connectionTimeout: step, greetingTimeout: step, socketTimeout: step, dnsTimeout: step },
  })
  const limit = AbortSignal.timeout(total)
  try {
    const { response, rejected } = await transport.sendMail({ ...content, signal: limit })
    const answer = harmless(response)
    // The others have it: it is not sent again.
    return rejected.length === 0 ? answer : `${answer}; rejected by ${host}: ${harmless(rejected.join(', '))}`
  } catch (error) {
    throw new Failure(`${host}:${port}: ${limit.aborted ? `no result in ${total / 1000} s` : reasonOf(error, server)}`)
  } finally {
    transport.close()
  }
}

function reasonOf(error: unknown, { isTls, host }: SmtpServer): string {
  const {
    code = '',
    response,
    responseCode = 0,
    message,
  } = error as NodeJS.ErrnoException & {
    readonly response?: string
    readonly responseCode?: number
  }
  const said = harmless(response ?? message)
  if (code === 'EAUTH') return `it rejects the sign-in, check the user in alarms.smtp and alarms.password_file: ${said}`
  if (code === 'ETLS' || /certificate|self.signed|altname/i.test(message)) {
    const advice = isTls ? '' : `, or offers no STARTTLS`
    return `its certificate is not trusted for ${host}${advice} (alarms.ca_file names another CA): ${said}`
  }
  if (responseCode >= 400 && responseCode < 500) return `not accepted for now, the next round tries again: ${said}`
  return said
}

/** Some servers reject a name without a dot. */
function nameForEhlo(): string {
  const name = hostname()
  return /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(name) ? name : 'localhost.localdomain'
}

async function bySendmail(program: string, content: Content, { total }: LimitsMs): Promise<string> {
  const { createTransport } = await nodemailer()
  const writer = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
  const { message } = await writer.sendMail(content)
  const words = [program, '-i', '-f', content.from, ...content.to]
  const options = { cwd: '/', env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }, seconds: total / 1000 }
  const { status, stderr } = await run(words, { ...options, input: message as Buffer })
  if (status === 0) return `${program} accepted it`
  const end = status === null ? `did not end in ${options.seconds} s` : `ended with status ${status}`
  throw new Failure(`${program} ${end}${stderr.trim() === '' ? '' : `: ${harmless(stderr)}`}`)
}
