// The sheet of a filter test for the school's records: one HTML file without scripts, to be printed.
import { quoted } from '../../../settings/shown.ts'
import { VERDICT_TEXTS } from '../../engine/ruled-text.ts'
import { localDateTime } from '../../local-time.ts'
import { printable } from '../../terminal/printable.ts'
import { faultOf, NOTHING_SENT, type Tried } from './try.ts'

export interface SheetFacts {
  /** Undefined where no variable names it. */
  readonly organisation: string | undefined
  /** Local date and time with the zone: `2026-11-27 10:05, Europe/Zurich`. */
  readonly time: string
  /** `HOST:PORT` */
  readonly proxy: string
  /** An origin. */
  readonly engine: string
  /** Of the policy. */
  readonly revision: string
  /** This machine's address, as the proxy sees it. */
  readonly client: string
  readonly user: string | undefined
  /** Of gatewayctl. */
  readonly version: string
}

/** @param zone the time zone of the lines' times */
export function renderSheet(facts: SheetFacts, tried: readonly Tried[], zone: string): string {
  const count = (wanted: Tried['result']) => tried.filter(({ result }) => result === wanted).length
  const heading = facts.organisation === undefined ? 'Filter test' : `Filter test: ${facts.organisation}`
  const described: readonly (readonly [string, string])[] = [
    ['Time', facts.time],
    ['Proxy', facts.proxy],
    ['Engine', facts.engine],
    ['Policy', `revision ${facts.revision}`],
    ['Sent from', `${facts.client}, ${facts.user === undefined ? 'without a user' : `as the user ${facts.user}`}`],
    ['Result', `${count('as expected')} as expected, ${count('differs')} different, ${count('not sent')} not sent`],
    ['Program', `gatewayctl ${facts.version}`],
  ]
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(`${heading}, ${facts.time}`)}</title>
<style>${STYLE}</style>
<h1>${escapeHtml(heading)}</h1>
${faultOf(tried) === NOTHING_SENT ? `<p><strong>${sentence(NOTHING_SENT)}</strong></p>\n` : ''}<dl>
${described.map(([name, value]) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`).join('\n')}
</dl>
<p>Each line is an [[expect]] of the policy. It was sent through the proxy where the rules decide the same about it from this
machine at this time; seen is what the proxy showed, which names no rule. Lines that need another user, address or time, no
permission or no switch were not sent: for them the engine’s decision by the rules is given.</p>
<table>
<thead><tr><th scope="col">Line</th><th scope="col">Address</th><th scope="col">Expected</th><th scope="col">Seen</th><th scope="col">Result</th></tr></thead>
<tbody>
${tried.map((one) => row(one, zone)).join('\n')}
</tbody>
</table>
<p class="signature">Date, name, signature:</p>
</html>
`
}

function row({ listed, seen, result }: Tried, zone: string): string {
  const { place, url } = listed
  const cells = [place.replace(/^.*[/\\]/, ''), url, expectedText(listed, zone), seen].map(
    (text) => `<td>${escapeHtml(text)}</td>`,
  )
  return `<tr>${cells.join('')}<td>${result === 'differs' ? '<strong>differs</strong>' : result}</td></tr>`
}

/** `blocked by the rule "games", for the user anna, from 10.1.2.3, at 2026-11-27T10:00:00`: the time as a policy has it. */
export function expectedText({ verdict, rule, user, client, at }: Tried['listed'], zone: string): string {
  const by = rule === null ? '' : rule === 'default' ? ' by the default' : ` by the rule ${quoted(rule)}`
  const conditions = [
    ...(user === null ? [] : [`for the user ${user}`]),
    ...(client === null ? [] : [`from ${client}`]),
    ...(at === null ? [] : [`at ${localDateTime(at, zone) ?? at}`]),
  ]
  return [`${VERDICT_TEXTS[verdict]}${by}`, ...conditions].join(', ')
}

export function sentence(fault: string): string {
  return `${fault.charAt(0).toUpperCase()}${fault.slice(1)}.`
}

function escapeHtml(text: string): string {
  return printable(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

const STYLE = `
body { font: 11pt/1.4 system-ui, sans-serif; color: #000; background: #fff; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
dl div { display: flex; gap: 1rem } dt { min-width: 6rem; font-weight: bold } dd { margin: 0; overflow-wrap: anywhere }
table { border-collapse: collapse; width: 100% } th, td { border: 1px solid #666; padding: 0.3rem 0.5rem; text-align: left; vertical-align: top; overflow-wrap: break-word }
td:nth-child(2) { overflow-wrap: anywhere } td:last-child { white-space: nowrap }
thead { display: table-header-group } tr { break-inside: avoid } .signature { margin-top: 3rem; border-bottom: 1px solid #000; padding-bottom: 0.3rem; break-inside: avoid }
@page { size: A4; margin: 15mm } @media print { body { margin: 0; padding: 0; max-width: none; font-size: 9pt } }
`
