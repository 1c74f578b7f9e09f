// The engine's explanation of a decision, as text.
import { z } from 'zod'
import type { Context } from '../context.ts'
import { printable, printableLines, quoted } from '../terminal/printable.ts'
import { createStyle } from '../terminal/style.ts'

const reason = { pattern: z.string().nullable(), list: z.string().nullable(), entry: z.string().nullable() }

export const whyShape = z.object({
  request: z.object({
    url: z.string(),
    host: z.string(),
    method: z.string(),
    client: z.string(),
    user: z.string().nullable(),
    at: z.string(),
  }),
  verdict: z.enum(['allow', 'block', 'warn', 'aup', 'refuse']),
  because: z.enum(['portal', 'permission', 'session', 'rule', 'default', 'path']),
  rule: z
    .object({
      name: z.string(),
      action: z.string(),
      line: z.number().nullable(),
      description: z.string(),
      category: z.string().nullable(),
      can_be_acknowledged: z.boolean(),
    })
    .nullable(),
  ...reason,
  // Earlier engines do not report these two.
  exempt: z.object({ by: z.string(), entry: z.string() }).nullable().default(null),
  ruled: z
    .object({
      by: z.string(),
      rule: z.object({ name: z.string(), line: z.number().nullable() }).nullable(),
      ...reason,
    })
    .nullable()
    .optional(),
  permission: z.object({ host: z.string(), by: z.string(), expires_at: z.string() }).nullable(),
  tried: z.array(
    z.object({ rule: z.string(), action: z.string(), line: z.number().nullable(), mismatches: z.array(z.string()) }),
  ),
  changes: z.array(z.object({ place: z.string(), above_line: z.number().nullable(), toml: z.string() })),
  stopped: z
    .object({ reference: z.string(), at: z.string(), verdict: z.string(), rule: z.string(), ...reason })
    .optional(),
})
type Answer = z.output<typeof whyShape>

const WIDTH = 10
/** Stands for no client: no rule should name it. */
export const NO_CLIENT = '0.0.0.0'
const VERDICTS = {
  allow: 'allowed',
  block: 'blocked',
  warn: 'stopped with a warning',
  aup: 'stopped until a policy is accepted',
  refuse: 'refused with HTTP 400',
}

export function describeDecision(context: Context, answer: Answer): string {
  const style = createStyle(context)
  const { request, verdict, stopped } = answer
  const line = (name: string, value: string) => `${name.padEnd(WIDTH)}${value}`
  const now = stopped === undefined ? 'is' : hasChanged(answer) ? 'would now be' : 'was'
  const heading = `${printable(request.url)} ${now} ${VERDICTS[verdict]}.`
  return `${[
    style(verdict === 'allow' ? 'green' : 'red', heading),
    '',
    line('client', request.client === NO_CLIENT ? '-' : printable(request.client)),
    line('user', printable(request.user ?? '-')),
    line('method', printable(request.method)),
    line('time', printable(request.at)),
    ...(stopped !== undefined && hasChanged(answer)
      ? [line('then', `${printable(stopped.verdict)} by the rule ${printable(stopped.rule)}${matched(stopped)}`)]
      : []),
    line('because', because(answer)),
    ...(answer.exempt === null ? [] : [line('exempt', exemption(answer.exempt))]),
    ...(answer.ruled === undefined ? [] : [line('ruled', ruling(answer.ruled))]),
    ...(isOpened(answer) ? [line('otherwise', `stopped by the rule ${spell(answer.rule)}${matched(answer)}`)] : []),
    ...nearMisses(answer).map((text, at) => line(at === 0 ? 'tried' : '', text)),
    ...answer.changes.flatMap(({ place, toml }, at) => [
      '',
      style(
        'bold',
        `${at > 0 ? 'Or' : isOpened(answer) ? 'To open it for good' : 'To change this'}, ${printable(place)}:`,
      ),
      '',
      printableLines(toml).trimEnd(),
    ]),
  ].join('\n')}\n`
}

/** For standard error. */
export function nextSteps({ request, verdict, because, permission }: Answer): string {
  const host = quoted(request.host)
  if (permission !== null) {
    const spelt = quoted(permission.host)
    return `It is open until ${printable(permission.expires_at)}. To close it earlier: gatewayctl engine permissions end ${spelt}\n`
  }
  if (because === 'session') {
    const whose = request.user === null ? `--client ${quoted(request.client)}` : `--user ${quoted(request.user)}`
    return `To end the session: gatewayctl engine sessions end ${whose}\n`
  }
  if (verdict === 'allow' || verdict === 'refuse') return ''
  return `To open it at once, for a time: gatewayctl engine allow ${host} --for 2h --by NAME\n`
}

/** Whether a permission or a session opens what a rule stops. */
function isOpened({ because: cause, rule }: Answer): boolean {
  return (cause === 'permission' || cause === 'session') && rule !== null && rule.action !== 'allow'
}

/** Whether today's policy decides otherwise than the one that stopped the request. */
function hasChanged({ stopped, verdict, rule }: Answer): boolean {
  return stopped !== undefined && (stopped.verdict !== verdict || stopped.rule !== (rule?.name ?? 'default'))
}

function because(answer: Answer): string {
  const { because: cause, rule, permission } = answer
  switch (cause) {
    case 'portal':
      return 'it is one of the portal’s own names, which are always allowed'
    case 'permission':
      return `${printable(permission?.by)} opened ${printable(permission?.host)} until ${printable(permission?.expires_at)}`
    case 'session':
      return 'the visitor has a session'
    case 'default':
      return 'no rule matches, and the default decides'
    case 'path':
      return `its path has a dot segment or a backslash, which browsers resolve, or too many encodings, and the rule ${spell(rule)} names a path`
    case 'rule':
      return `the rule ${spell(rule)}${matched(answer)}`
  }
}

function exemption({ by, entry }: NonNullable<Answer['exempt']>): string {
  const key = `${printable(entry)} is in [inspection] ${printable(by)}`
  return `from inspection (${key}): over https the proxy sees no path and shows no page`
}

/** Why the proxy asks about each request for the host. */
function ruling(ruled: NonNullable<Answer['ruled']> | null): string {
  if (ruled === null) return 'no: no rule could stop a request for this host, so the proxy need not ask'
  const { by, rule, pattern, entry } = ruled
  if (rule === null) return `by ${by === 'audit' ? '[audit] allowed = true' : 'default = "block"'}, like every host`
  if (by === 'network') return `by the rule ${spell(rule)}, which names a network, like every address`
  return `by the rule ${spell(rule)}${pattern === null && entry === null ? ', like every host' : matched(ruled)}`
}

function spell(rule: { readonly name: string; readonly line: number | null } | null): string {
  return `${printable(rule?.name)}${rule?.line == null ? '' : ` (line ${rule.line})`}`
}

function matched({ pattern, list, entry }: Pick<Answer, 'pattern' | 'list' | 'entry'>): string {
  if (entry !== null) return `, by the entry ${printable(entry)} of the list ${printable(list)}`
  return pattern === null ? '' : `, by its pattern ${printable(pattern)}`
}

/** Rules about this host that do not match for another reason; most rules are about other hosts. */
function nearMisses({ tried }: Answer): readonly string[] {
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
