// The section [alarms] of the engine's file: the engine accepts it, and `gatewayctl alarms` sends by it.
import { isIP } from 'node:net'
import * as z from 'zod'
import { evenWithProblems, host, integer, isLoopback, parsed, relativePath } from '../shapes.ts'

/** Its name in the file. */
export const ALARMS = 'alarms'
/** Keys whose values are never shown: the address of a webhook often has a token in it. */
export const ALARMS_SECRET_KEYS = ['webhook']

export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** TLS from the first byte on. */
  readonly isTls: boolean
  /** On this machine: a connection without TLS is good enough. */
  readonly isLoopback: boolean
  /** Undefined without a sign-in. */
  readonly user: string | undefined
}

const LOCAL_PART = /^(?!-)[\w.!#$%&'*+/=?^`{|}~-]{1,64}$/
const MAXIMUM_WEBHOOK = 2000
const MAXIMUM_RECIPIENTS = 20
const MAXIMUM_FOLDERS = 20

const mailbox = parsed('an e-mail address in ASCII, such as it@school.example', (text) => {
  const [local = '', domain = '', ...more] = text.split('@')
  const isWhole = more.length === 0 && LOCAL_PART.test(local) && !/^\.|\.$|\.\./.test(local)
  return isWhole && isIP(domain) === 0 && host.safeParse(domain).success ? text : undefined
})

const smtp = parsed(
  'smtp://HOST or smtps://HOST, with USER@ and :PORT if needed, and without a password, which is in alarms.password_file',
  parseSmtp,
)

const webhook = parsed('an https URL of at most 2,000 characters; plain http only to this machine', (text) => {
  const url = text.length > MAXIMUM_WEBHOOK || /[\s\p{C}]/u.test(text) ? null : URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '') return undefined
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url)) ? url : undefined
})

const absolutePath = parsed('an absolute path', (text) =>
  text.startsWith('/') && !/\p{Cc}/u.test(text) ? text : undefined,
)

const cause = parsed('what gatewayctl alarms list shows, such as "clock" or "disk:/var/log"', (text) =>
  /^[\w:./-]{1,200}$/.test(text) ? text : undefined,
)

export const alarms = z
  .strictObject({
    to: z
      .array(mailbox)
      .min(1, 'must name an address')
      .max(MAXIMUM_RECIPIENTS, `must have at most ${MAXIMUM_RECIPIENTS} addresses`)
      .optional(),
    from: mailbox.optional(),
    smtp: smtp.optional(),
    password_file: relativePath.optional(),
    sendmail: absolutePath.optional(),
    webhook: webhook.optional(),
    webhook_token_file: relativePath.optional(),
    ca_file: relativePath.optional(),
    disk_percent: integer(50, 99).default(90),
    folders: z.array(absolutePath).max(MAXIMUM_FOLDERS, `must have at most ${MAXIMUM_FOLDERS} folders`).default([]),
    ignore: z.array(cause).default([]),
  })
  .refine(({ smtp, sendmail }) => smtp === undefined || sendmail === undefined, {
    ...evenWithProblems,
    path: ['sendmail'],
    error: 'must not be set together with alarms.smtp',
  })
  .refine(({ to, smtp, sendmail }) => (to === undefined) === (smtp === undefined && sendmail === undefined), {
    ...evenWithProblems,
    path: ['to'],
    error: 'must be set with alarms.smtp or alarms.sendmail, and only then',
  })
  .refine(({ to, webhook }) => to !== undefined || webhook !== undefined, {
    ...evenWithProblems,
    path: ['webhook'],
    error: 'must be set, or else alarms.to with alarms.smtp or alarms.sendmail',
  })
  .refine(({ smtp, password_file }) => (smtp?.user === undefined) === (password_file === undefined), {
    path: ['password_file'],
    error: 'must be set if alarms.smtp names a user, and only then',
  })

export type AlarmSettings = z.output<typeof alarms>

function parseSmtp(text: string): SmtpServer | undefined {
  const url = /^smtps?:\/\/[^/\\\s]+\/?$/i.test(text) ? URL.parse(text) : null
  if (url === null || url.password !== '' || url.search !== '' || url.hash !== '') return undefined
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const user = decoded(url.username)
  if (!host.safeParse(name).success || user === undefined) return undefined
  const isTls = url.protocol === 'smtps:'
  // 465 and 587 are for clients that sign in (RFC 8314), 25 is for mail servers.
  const standard = isTls ? 465 : user === '' ? 25 : 587
  return {
    host: name.toLowerCase(),
    port: Number(url.port || standard),
    isTls,
    isLoopback: isLoopback({ hostname: url.hostname.toLowerCase() }),
    user: user || undefined,
  }
}

function decoded(text: string): string | undefined {
  try {
    const user = decodeURIComponent(text)
    return user.length <= 256 && !/\p{C}/u.test(user) ? user : undefined
  } catch {
    return undefined
  }
}
