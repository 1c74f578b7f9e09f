// What of Squid's log is worth an operator's attention: where it listens, and problems, without addresses of pages.

/** Squid warns of entries that are covered by others, and of what squid.conf does on purpose. */
const EXPECTED = /because of this|should probably remove|is a subnetwork of|empty ACL|use of Via|no_suid/
const LISTENING = /Accepting .* connections at .* local=(\S*) /
const TIME = /^[0-9/]* [0-9:]*(?: kid[0-9]*)*\| /
const WORTH_REPORTING = /FATAL|ERROR|WARNING|ALERT|ICAP service/
/** Anchored: what a client sends may be quoted further on. */
const ICAP_IS_DOWN = /^essential ICAP service is (?:down|suspended)\b/

/** What follows the time; empty for a line without one. */
export function messageOf(line: string): string {
  const [time] = TIME.exec(line) ?? []
  return time === undefined ? '' : line.slice(time.length)
}

/** The line for the proxy's own log; undefined if it has nothing for an operator. */
export function reportedLine(line: string): string | undefined {
  if (EXPECTED.test(line)) return undefined
  const [, address] = LISTENING.exec(line) ?? []
  if (address !== undefined) return `listening on ${address}`
  const text = line
    .replace(/ on URL: .*/, '')
    .replaceAll(/\?\S*/g, '')
    .replace(TIME, 'Squid: ')
  return WORTH_REPORTING.test(text) ? text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?') : undefined
}

/** Whether Squid reports that it could not get the ICAP service's options: it refuses all requests for the next 30 seconds. */
export function isIcapOutage(line: string): boolean {
  return ICAP_IS_DOWN.test(messageOf(line))
}
