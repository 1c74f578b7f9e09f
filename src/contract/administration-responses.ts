// What the engine's administration calls return: `gatewayctl` checks it; the engine, which makes it, uses the types alone.
import * as z from 'zod'

/** ISO 8601 in UTC, to the second. */
const time = z.string()
const count = z.number()
const names = z.array(z.string()).readonly()

const policy = z.object({
  revision: z.string(),
  rules: count,
  default: z.enum(['allow', 'block']),
  groups: count,
  lists: z.array(z.object({ name: z.string(), entries: count })).readonly(),
})

const load = z.object({ result: z.enum(['loaded', 'kept']), problems: names, warnings: names })

export const permission = z.object({ host: z.string(), by: z.string(), created_at: time, expires_at: time })

const session = z.object({
  rule: z.string(),
  user: z.string().nullable(),
  client: z.string(),
  reference: z.string(),
  started_at: time,
  expires_at: time,
})

/** Of a user or, where the proxy names none, of a client's network. */
const lockout = z.object({
  rule: z.string(),
  user: z.string().nullable(),
  client: z.string().nullable(),
  expires_at: time,
})

const ended = z.object({ ended: count })

const action = z.enum(['allow', 'block', 'warn', 'aup'])
const line = z.number().nullable()
/** Which of the hosts that a rule names covers the request's. */
const reason = { pattern: z.string().nullable(), list: z.string().nullable(), entry: z.string().nullable() }

const explanation = z.object({
  request: z.object({
    url: z.string(),
    host: z.string(),
    method: z.string(),
    client: z.string(),
    user: z.string().nullable(),
    at: time,
  }),
  verdict: z.enum([...action.options, 'refuse']),
  because: z.enum(['portal', 'permission', 'session', 'rule', 'default', 'path']),
  rule: z
    .object({
      name: z.string(),
      action,
      line,
      description: z.string(),
      category: z.string().nullable(),
      can_be_acknowledged: z.boolean(),
    })
    .nullable(),
  ...reason,
  permission: permission.nullable(),
  /** The key of `[inspection]` that exempts it, and the entry there. */
  exempt: z.object({ by: z.string(), entry: z.string() }).nullable(),
  /** Why the proxy asks about the host; null where it need not. */
  ruled: z
    .object({
      by: z.enum(['audit', 'default', 'network', 'rule']),
      rule: z.object({ name: z.string(), line }).nullable(),
      ...reason,
    })
    .nullable(),
  /** Rules that do not match, and why. */
  tried: z.array(z.object({ rule: z.string(), action, line, mismatches: names })).readonly(),
  /** Lines of the policy that would change the decision. */
  changes: z.array(z.object({ place: z.string(), above_line: line, toml: z.string() })).readonly(),
  /** With a reference: what was decided then. */
  stopped: z
    .object({ reference: z.string(), at: time, verdict: action.exclude(['allow']), rule: z.string(), ...reason })
    .optional(),
})

export const administrationResponses = {
  status: z.object({
    time,
    /** Of this process; new with each start. */
    instance: z.string(),
    /** The key id that it seals with. */
    kid: z.string(),
    policy,
    last_load: load,
    database: z.object({
      up: z.boolean(),
      /** Why nothing can be written. */
      fault: z.string().nullable(),
      memory_backed: z.boolean(),
      in_temporary_folder: z.boolean(),
    }),
    // Null while the database does not respond.
    sessions: count.nullable(),
    lockouts: count.nullable(),
    permissions: count.nullable(),
    stopped_in_memory: count,
    decisions: z.object({ json: count, icap: count }),
  }),
  reload: load.extend({ policy }),
  'sessions/list': z.object({ sessions: z.array(session).readonly(), more: z.boolean() }),
  'sessions/end': ended,
  'lockouts/list': z.object({ lockouts: z.array(lockout).readonly(), more: z.boolean() }),
  'lockouts/end': ended,
  'permissions/allow': permission,
  'permissions/list': z.object({ permissions: z.array(permission).readonly(), more: z.boolean() }),
  'permissions/end': ended.extend({ still_open: permission.nullable() }),
  why: explanation,
}
