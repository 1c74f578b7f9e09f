// The schemas of the audit log's events. docs/engine-audit-log.md and its JSON schema are generated from them, and a test
// checks a real engine's log lines against them. The engine itself imports only types and names from here.
import { z } from 'zod'
import { ACKNOWLEDGEMENT_OUTCOMES, DOORS } from './tally.ts'

const line = {
  level: z.literal(30).describe('30'),
  time: z.iso.datetime().describe('when the line was written'),
}

const client = z.string().describe('the client’s IP address, from the proxy')
const user = z.string().optional().describe('the user’s name in the form that rules compare, if the proxy reports one')
const reference = z.string().describe('the verdict’s id (`jti`), as on the page')
const rule = z.string().describe('the rule’s name; `default` if no rule matched')
const host = z.string().describe('the URL’s host')

const request = {
  ...line,
  door: z.enum(DOORS).describe('the JSON call or ICAP'),
  client,
  user,
  host: host.optional().describe('the URL’s host; only with `[audit] hosts = true`'),
}

const administration = {
  ...line,
  from: z.string().optional().describe('the administrator’s address'),
}

const permission = {
  host: z.string().describe('the opened host; with a dot before it, all below it, too'),
  by: z.string().describe('who opened it (`--by`)'),
  client: z.string().optional().describe('the address or network that it is for'),
  room: z.string().optional().describe('the room that it is for'),
  user: user.describe('the user whom it is for'),
  group: z.string().optional().describe('the group that it is for'),
  despite: z.string().optional().describe('the switch whose rules it opens, too'),
  until: z.iso.datetime().describe('when the permission expires'),
}

const presence = {
  ...line,
  from: z.string().optional().describe('the address of the RADIUS or DHCP server'),
  client,
  user: z.string().describe('the user’s name in the form that rules compare'),
}

const switched = {
  switch: z.string().describe('the switch’s name'),
  network: z.string().optional().describe('where; missing for everyone'),
  room: z.string().optional().describe('the room whose network it is'),
}

const lessonCode = {
  lessonCode: z.string().describe('the id of the code, never the code'),
  rule,
  by: z.string().optional().describe('who asked for it (`--by`)'),
  until: z.iso.datetime().describe('when it expires'),
}

const selection = {
  rule: rule.optional(),
  client: client.optional(),
  room: z.string().optional().describe('the room’s name in the policy'),
  user,
}

/** Every event, in the order of the documentation. */
export const auditEvents = [
  z
    .strictObject({
      ...request,
      event: z.literal('request.stopped'),
      kind: z.enum(['block', 'warn', 'aup']).describe('the verdict’s kind'),
      rule,
      reference,
      msg: z.literal('decision').describe('the log message'),
    })
    .describe('A verdict was issued.'),
  z
    .strictObject({
      ...request,
      event: z.literal('request.allowed'),
      rule: rule.optional(),
      session: z.boolean().describe('whether a session allowed it'),
      msg: z.literal('decision').describe('the log message'),
    })
    .describe(
      'Only with `[audit] allowed = true`. `rule` is missing if none matched, for the portal’s own names and for permissions.',
    ),
  z
    .strictObject({
      ...line,
      event: z.literal('acknowledgement'),
      outcome: z.enum(ACKNOWLEDGEMENT_OUTCOMES).describe('see [outcomes](#outcomes)'),
      reference: reference.optional(),
      rule: rule.optional(),
      client: client.optional(),
      user,
      forwardedFor: z.string().optional().describe('the visitor’s address, from the portal'),
      repeated: z.boolean().optional().describe('with `accepted`: whether the session existed before'),
      lessonCode: z.string().optional().describe('with `accepted`: the id of the lesson code that opened it'),
      reason: z.string().optional().describe('with `refused` and `unavailable`: why'),
      attemptsRemaining: z.int().optional().describe('with `code rejected`: attempts left before a lockout'),
      retryAfterSeconds: z.int().optional().describe('with `locked out`: for how long'),
      msg: z.literal('acknowledgement').describe('the log message'),
    })
    .describe(
      'A portal sent an acknowledgement. `reference` and `rule` are missing if the payload did not open, `client` and `user` if its token did not.',
    ),
  z
    .strictObject({
      ...administration,
      event: z.literal('permission.granted'),
      ...permission,
      msg: z.literal('permission granted').describe('the log message'),
    })
    .describe('An administrator opened a host for a time; without `client`, `room`, `user` and `group` for everyone.'),
  z
    .strictObject({
      ...administration,
      event: z.literal('permission.ended'),
      ...permission,
      msg: z.literal('permission ended').describe('the log message'),
    })
    .describe('An administrator ended a permission before its time.'),
  z
    .strictObject({
      ...administration,
      event: z.literal('switch.on'),
      ...switched,
      by: z.string().describe('who turned it on (`--by`)'),
      until: z.iso.datetime().describe('when it turns off'),
      msg: z.literal('switch on').describe('the log message'),
    })
    .describe('An administrator turned on a switch. One line for each network.'),
  z
    .strictObject({
      ...administration,
      event: z.literal('switch.off'),
      ...switched,
      msg: z.literal('switch off').describe('the log message'),
    })
    .describe('An administrator turned off a switch before its time. One line for each network.'),
  z
    .strictObject({
      ...administration,
      event: z.literal('code.created'),
      ...lessonCode,
      msg: z.literal('code created').describe('the log message'),
    })
    .describe('An administrator created a lesson code.'),
  z
    .strictObject({
      ...administration,
      event: z.literal('code.ended'),
      ...lessonCode,
      msg: z.literal('code ended').describe('the log message'),
    })
    .describe('An administrator ended a lesson code, with the sessions that it opened, before its time.'),
  z
    .strictObject({
      ...administration,
      event: z.literal('sessions.ended'),
      ...selection,
      ended: z.int().describe('how many'),
      msg: z.literal('sessions ended').describe('the log message'),
    })
    .describe('An administrator ended sessions: of a rule, a client, a room or a user, or all.'),
  z
    .strictObject({
      ...administration,
      event: z.literal('lockouts.ended'),
      ...selection,
      ended: z.int().describe('how many'),
      msg: z.literal('lockouts ended').describe('the log message'),
    })
    .describe('The same with lockouts.'),
  z
    .strictObject({
      ...administration,
      event: z.literal('person.deleted'),
      by: z.string().describe('who deleted it (`--by`)'),
      rows: z.int().describe('how many rows about the person were deleted'),
      ended: z.int().describe('how many sessions this ended'),
      msg: z.literal('person deleted').describe('the log message'),
    })
    .describe('An administrator deleted what the engine had about a person. The line does not name the person.'),
  z
    .strictObject({
      ...presence,
      event: z.literal('presence.reported'),
      until: z.iso.datetime().describe('when the report ends, unless it is repeated'),
      msg: z.literal('presence reported').describe('the log message'),
    })
    .describe('Another user than before was reported for an address. Reports that only last longer have no line.'),
  z
    .strictObject({
      ...presence,
      event: z.literal('presence.ended'),
      msg: z.literal('presence ended').describe('the log message'),
    })
    .describe('The end of a report was reported, or a report about the address that could not be read.'),
  z
    .strictObject({
      ...administration,
      event: z.literal('reload.requested'),
      acceptLosses: z.literal(true).optional().describe('only with `--accept-losses`'),
      msg: z.literal('reload requested').describe('the log message'),
    })
    .describe('An administrator reloaded the policy.'),
] as const

/** One line of the audit log. */
export const auditEvent = z.discriminatedUnion('event', auditEvents)

type AuditEvent = z.infer<typeof auditEvent>
type Written = 'event' | keyof typeof line | 'msg'
type MembersOf<Event> = Event extends unknown ? Omit<Event, Written> : never

/** The members of an acknowledgement's line. */
export type AcknowledgementRecord = MembersOf<Extract<AuditEvent, { event: 'acknowledgement' }>>

type AdministrationEvent = Exclude<AuditEvent, { event: 'request.stopped' | 'request.allowed' | 'acknowledgement' }>
type WithEvent<Event> = Event extends AuditEvent ? Pick<Event, 'event'> & MembersOf<Event> : never

/** The members of the line about an administrator's action. */
export type AdministrationRecord = WithEvent<AdministrationEvent>
