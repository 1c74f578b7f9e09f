// Why Squid's helper does not accept somebody's Kerberos ticket. Squid logs it for each request, and browsers try again: the proxy
// reports each reason once in a while.

import { messageOf } from './squid-log.ts'

/** Of Squid's log, with what the helper says. */
const REFUSAL = /^ERROR: Negotiate Authentication validating user\. Result: (.*)$/
const MESSAGE = /message: (.*?);? \}\}$/
/** What the library puts before the reason. */
const PREAMBLE = /^.*Minor code may provide more information\.? */
const QUIET_MS = 600_000
const MAXIMUM_CHARACTERS = 200

interface Reason {
  readonly pattern: RegExp
  readonly text: string
}

/** Messages of MIT's library, and of the helper. */
const REASONS: readonly Reason[] = [
  {
    pattern: /Cannot find key for .* kvno|kvno \d+ not found in keytab|Decrypt integrity check failed/,
    text: 'the keytab does not have the key of this ticket: the account has another password; create the keytab again',
  },
  {
    pattern: /No key table entry found|not found in keytab|Wrong principal in request/,
    text: 'the ticket is for another name than the keytab: browsers must use the name in -s',
  },
  {
    pattern: /Clock skew too great/,
    text: 'the clocks of this machine and of a device differ by more than five minutes',
  },
  { pattern: /Ticket expired/, text: 'a ticket has expired' },
  { pattern: /NTLM token/, text: 'a device without a ticket, such as one outside the domain, tries NTLM' },
  {
    pattern: /Permission denied|No such file or directory|Key table file .* not found/i,
    text: 'the keytab cannot be read',
  },
]

/**
 * Reports refusals.
 * @param clock milliseconds
 * @returns whether a line of Squid's log is one
 */
export function kerberosRefusals(report: (line: string) => void, clock: () => number): (line: string) => boolean {
  const reportedAt = new Map<string, number>()
  return (line) => {
    const result = REFUSAL.exec(messageOf(line))?.[1]
    if (result === undefined) return false
    const message = (MESSAGE.exec(result)?.[1] ?? result).replace(PREAMBLE, '')
    const reason = REASONS.find(({ pattern }) => pattern.test(message))?.text
    // Unknown ones share a place: a client could cause any number of them.
    const key = reason ?? ''
    const now = clock()
    if (now - (reportedAt.get(key) ?? Number.NEGATIVE_INFINITY) >= QUIET_MS) {
      reportedAt.set(key, now)
      const shown = message.slice(0, MAXIMUM_CHARACTERS).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?')
      report(`sign-in by Kerberos refused: ${reason === undefined ? shown : `${reason} (${shown})`}`)
    }
    return true
  }
}
