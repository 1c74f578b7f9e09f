// The engine's explanation of a decision, as text.
import type { Explanation, OpenPermission } from '../../contract/administration.ts'
import type { Context } from '../context.ts'
import { createLocalTime, type LocalTime } from '../local-time.ts'
import { printable, printableLines, quoted } from '../terminal/printable.ts'
import { createStyle } from '../terminal/style.ts'
import { counted } from './load-result.ts'
import { VERDICT_TEXTS } from './ruled-text.ts'
import { endCommand, scopeText } from './scope.ts'

const WIDTH = 10
const NO_MATCH = 'rules that name clients, rooms, users or groups do not match'
const NO_PATH = 'not in the journal: this is about the host, and a rule that names a path may decide otherwise'
/** Stands for no client: no rule should name it. */
export const NO_CLIENT = '0.0.0.0'

export function describeDecision(context: Context, explanation: Explanation): string {
  const style = createStyle(context)
  const time = createLocalTime(context)
  const { request, verdict, stopped } = explanation
  const line = (name: string, value: string) => `${name.padEnd(WIDTH)}${value}`
  const isFromJournal = stopped?.from === 'journal'
  const now = stopped === undefined ? 'is' : hasChanged(explanation) ? 'would now be' : 'was'
  const heading = `${printable(request.url)} ${now} ${VERDICT_TEXTS[verdict]}.`
  return `${[
    style(verdict === 'allow' ? 'green' : 'red', heading),
    '',
    ...(stopped?.pseudonyms
      ? [line('client', `${printable(stopped.client)} (a pseudonym: ${NO_MATCH})`)]
      : [line('client', request.client === NO_CLIENT ? '-' : printable(request.client))]),
    line('user', printable((stopped?.pseudonyms ? stopped.user : request.user) ?? '-')),
    ...(isFromJournal ? [line('path', NO_PATH)] : [line('method', printable(request.method))]),
    line('time', time(request.at, 'second')),
    ...(stopped !== undefined && (isFromJournal || hasChanged(explanation))
      ? [line('then', `${printable(stopped.verdict)} by the rule ${printable(stopped.rule)}${matched(stopped)}`)]
      : []),
    ...(stopped === undefined ? [] : visitor(stopped, time).map((text) => line('visitor', text))),
    line('because', because(explanation, time)),
    ...(explanation.exempt === null ? [] : [line('exempt', exemption(explanation.exempt))]),
    line('ruled', ruling(explanation.ruled)),
    ...explanation.other_permissions.map(({ mismatches, ...permission }) =>
      line('opened', `${openedText(permission, time)}; not for this request: ${mismatches.map(printable).join('; ')}`),
    ),
    ...(isOpened(explanation)
      ? [line('otherwise', `stopped by the rule ${spell(explanation.rule)}${matched(explanation)}`)]
      : []),
    ...nearMisses(explanation).map((text, at) => line(at === 0 ? 'tried' : '', text)),
    ...explanation.changes.flatMap(({ place, toml }, at) => [
      '',
      style(
        'bold',
        `${at > 0 ? 'Or' : isOpened(explanation) ? 'To open it for good' : 'To change this'}, ${printable(place)}:`,
      ),
      '',
      printableLines(toml).trimEnd(),
    ]),
  ].join('\n')}\n`
}

/** For standard error. */
export function nextSteps(
  context: Context,
  { request, verdict, because, rule, permission, despite }: Explanation,
): string {
  const host = quoted(request.host)
  if (permission !== null) {
    const until = createLocalTime(context)(permission.expires_at)
    return `It is open until ${until}. To close it earlier: ${endCommand(permission)}\n`
  }
  if (because === 'session') {
    const whose = request.user === null ? `--client ${quoted(request.client)}` : `--user ${quoted(request.user)}`
    return `To end the session: gatewayctl engine sessions end ${whose}\n`
  }
  if (verdict === 'allow' || verdict === 'refuse') return ''
  if (rule?.locked) return 'No permission opens it, because the rule is locked.\n'
  const switched = despite === null ? '' : ` --despite ${quoted(despite)}`
  return `To open it at once, for a time: gatewayctl engine allow ${host} --for 2h${switched} --by NAME\n`
}

/** Whether a permission or a session opens what a rule stops. */
function isOpened({ because: cause, rule }: Explanation): boolean {
  return (cause === 'permission' || cause === 'session') && rule !== null && rule.action !== 'allow'
}

/** Whether today's policy decides otherwise than the one that stopped the request. */
function hasChanged({ stopped, verdict, rule }: Explanation): boolean {
  return stopped !== undefined && (stopped.verdict !== verdict || stopped.rule !== (rule?.name ?? 'default'))
}

function because(explanation: Explanation, time: LocalTime): string {
  const { because: cause, rule, permission } = explanation
  switch (cause) {
    case 'portal':
      return 'it is one of the portal’s own names, which are always allowed'
    case 'permission':
      return `${printable(permission?.by)} opened ${permission === null ? '' : openedText(permission, time)}`
    case 'session':
      return 'the visitor has a session'
    case 'default':
      return 'no rule matches, and the default decides'
    case 'path':
      return `its path has a dot segment or a backslash, which browsers resolve, or too many encodings, and the rule ${spell(rule)} names a path`
    case 'rule':
      return `the rule ${spell(rule)}${matched(explanation)}${rule?.locked ? '; it is locked: nothing opens it' : ''}`
  }
}

/** What the visitor did about the page, as far as the journal has it. */
function visitor(
  { verdict, acknowledgements }: NonNullable<Explanation['stopped']>,
  time: LocalTime,
): readonly string[] {
  if (acknowledgements === null || verdict === 'block') return []
  const accepted = acknowledgements.filter(({ outcome }) => outcome === 'accepted')
  const wrong = acknowledgements.length - accepted.length
  const codes = wrong === 0 ? '' : `; ${counted(wrong, 'wrong code')}`
  const [first] = accepted
  if (first === undefined) return [`has not acknowledged${codes}`]
  const code = first.lesson_code === null ? '' : ` with the lesson code ${printable(first.lesson_code)}`
  const until = first.expires_at === null ? '' : `, which opened it until ${time(first.expires_at)}`
  return [`acknowledged at ${time(first.at, 'second')}${code}${until}${codes}`]
}

/** `casino.example until 2026-11-20 11:00, for the group staff` */
function openedText(permission: OpenPermission, time: LocalTime): string {
  const { host, expires_at: until } = permission
  return `${printable(host)} until ${time(until)}, for ${scopeText(permission)}`
}

function exemption({ by, entry }: NonNullable<Explanation['exempt']>): string {
  const key = `${printable(entry)} is in [inspection] ${printable(by)}`
  return `from inspection (${key}): over https the proxy sees no path and shows no page`
}

/** Why the proxy asks about each request for the host. */
function ruling(ruled: NonNullable<Explanation['ruled']> | null): string {
  if (ruled === null) return 'no: no rule could stop a request for this host, so the proxy need not ask'
  const { by, rule, pattern, entry } = ruled
  if (rule === null) return `by ${by === 'audit' ? '[audit] allowed = true' : 'default = "block"'}, like every host`
  if (by === 'network') return `by the rule ${spell(rule)}, which names a network, like every address`
  return `by the rule ${spell(rule)}${pattern === null && entry === null ? ', like every host' : matched(ruled)}`
}

function spell(rule: { readonly name: string; readonly line: number | null } | null): string {
  return `${printable(rule?.name)}${rule?.line == null ? '' : ` (line ${rule.line})`}`
}

function matched({ pattern, list, entry }: Pick<Explanation, 'pattern' | 'list' | 'entry'>): string {
  if (entry !== null) return `, by the entry ${printable(entry)} of the list ${printable(list)}`
  return pattern === null ? '' : `, by its pattern ${printable(pattern)}`
}

/** Rules about this host that do not match for another reason; most rules are about other hosts. */
function nearMisses({ tried }: Explanation): readonly string[] {
  const isAboutOther = (mismatch: string) => /^(match|lists): /.test(mismatch)
  const near = tried.filter(({ mismatches }) => !mismatches.some(isAboutOther))
  const others = tried.length - near.length
  return [
    ...near.map(
      ({ rule, line, mismatches }) => `${spell({ name: rule, line })}: ${mismatches.map(printable).join('; ')}`,
    ),
    ...(others === 0 ? [] : [`${others} ${others === 1 ? 'rule' : 'rules'} about other hosts`]),
  ]
}
