// What the engine's administration calls return: `gatewayctl` checks it; the engine, which makes it, uses the types alone.
import * as z from 'zod'
import { report } from './report.ts'

/** ISO 8601 in UTC, to the second. */
const time = z.string()
const count = z.number()
const names = z.array(z.string()).readonly()

/** Of a list whose file is not in force: its last good copy is, or only to stop requests the file it had before, or nothing. */
const fallback = z.enum(['kept', 'other', 'missing'])

const list = z.object({
  name: z.string(),
  entries: count,
  /** Null where its file is in force. */
  fallback: fallback.nullable(),
  /** Since when the content that stands in for it is known, or since when there is none. */
  since: time.nullable(),
  optional: z.boolean(),
})

const policy = z.object({
  revision: z.string(),
  rules: count,
  default: z.enum(['allow', 'block']),
  groups: count,
  lists: z.array(list).readonly(),
})

const load = z.object({ result: z.enum(['loaded', 'kept']), problems: names, warnings: names })

/** Null for each part of the scope that is not limited. */
export const permission = z.object({
  host: z.string(),
  client: z.string().nullable(),
  room: z.string().nullable(),
  user: z.string().nullable(),
  group: z.string().nullable(),
  /** The switch whose rules it opens, too. */
  despite: z.string().nullable(),
  by: z.string(),
  created_at: time,
  expires_at: time,
})

export const switchOn = z.object({
  switch: z.string(),
  /** Null for everyone. */
  network: z.string().nullable(),
  room: z.string().nullable(),
  by: z.string(),
  created_at: time,
  expires_at: time,
})
const switches = z.array(switchOn).readonly()

/** Without the code itself. */
export const lessonCode = z.object({
  id: z.string(),
  rule: z.string(),
  by: z.string().nullable(),
  created_at: time,
  expires_at: time,
})

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
      /** Nothing opens what it stops. */
      locked: z.boolean(),
      switch: z.string().nullable(),
    })
    .nullable(),
  ...reason,
  /** That opens the request. */
  permission: permission.nullable(),
  /** Permissions for the host that do not open the request, and why. */
  other_permissions: z.array(permission.extend({ mismatches: names })).readonly(),
  /** The switch that a permission would have to name to open the request. */
  despite: z.string().nullable(),
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
    .object({
      ...{ reference: z.string(), at: time, verdict: action.exclude(['allow']), rule: z.string() },
      ...reason,
      /** The journal has no path: the request is one for the host. */
      from: z.enum(['memory', 'journal']),
      client: z.string(),
      user: z.string().nullable(),
      /** Whether client and user are pseudonyms: the request is one without them. */
      pseudonyms: z.boolean(),
      /** What the visitor did about it; null where the journal does not know. */
      acknowledgements: z
        .array(
          z.object({
            at: time,
            outcome: z.enum(['accepted', 'code rejected', 'locked out']),
            lesson_code: z.string().nullable(),
            /** Of the session. */
            expires_at: time.nullable(),
          }),
        )
        .readonly()
        .nullable(),
    })
    .optional(),
})

/** A stopped request in the journal. */
export const stop = z.object({
  at: time,
  reference: z.string(),
  verdict: action.exclude(['allow']),
  /** `default` where no rule matched. */
  rule: z.string(),
  category: z.string().nullable(),
  ...{ list: z.string().nullable(), entry: z.string().nullable() },
  /** Null where hosts are not kept. */
  host: z.string().nullable(),
  client: z.string(),
  user: z.string().nullable(),
  group: z.string().nullable(),
  /** Whether client and user are pseudonyms. */
  pseudonyms: z.boolean(),
  /** Other hosts at which the same client and user was stopped within five seconds. */
  same_page: names,
})

/** What rules and default decide. The rule is null for the portal's own names, and its name `default` for the default. */
const ruled = z.object({
  verdict: z.enum([...action.options, 'refuse']),
  rule: z.object({ name: z.string(), line }).nullable(),
})

const expectation = z.object({
  /** The policy's file, the line, and the number. */
  place: z.string(),
  url: z.string(),
  user: z.string().nullable(),
  client: z.string().nullable(),
  at: time.nullable(),
  verdict: action,
  rule: z.string().nullable(),
})

/** Stopped requests about which another policy decides differently, by what decides before and after. */
const changes = z.object({
  requests: count,
  /** Users and, where the proxy names none, networks of clients. */
  people: count,
  by: z
    .array(
      z.object({
        before: ruled,
        after: ruled,
        requests: count,
        people: count,
        /** The most frequent ones. */
        hosts: z.array(z.object({ host: z.string(), requests: count })).readonly(),
      }),
    )
    .readonly(),
})

/** By key, as in the policy's file; a schedule in words. */
const conditions = z.record(z.string(), names)

export const listedRule = z.object({
  name: z.string(),
  action,
  line,
  locked: z.boolean(),
  description: z.string(),
  category: z.string().nullable(),
  conditions,
  except: conditions.nullable(),
  /** Of today, by this engine; null for a default that allows. */
  hits: z.object({ stopped: count, allowed: count }).nullable(),
})

/** Rows about a person, by where they are. */
const personCounts = {
  sessions: count,
  /** Of a user, or of a client's network. */
  attempts: count,
  permissions: count,
  presences: count,
  redemptions: count,
  events: count,
  stops: count,
  /** Stopped requests in the memory of this engine. */
  memory: count,
}

const text = z.string().nullable()
const moment = time.nullable()

const personRows = {
  sessions: z.array(session.extend({ ended: z.boolean() })).readonly(),
  attempts: z.array(lockout.extend({ used: count, allowed: count })).readonly(),
  permissions: z.array(permission).readonly(),
  presences: z.array(z.object({ client: z.string(), user: z.string(), expires_at: time })).readonly(),
  redemptions: z.array(z.object({ reference: z.string(), expires_at: time })).readonly(),
  events: z
    .array(
      z.object({
        ...{ at: time, event: z.string(), outcome: text, reference: text, rule: text, host: text },
        ...{ client: text, user: text, group: text, room: text, switch: text, lesson_code: text },
        ...{ by: text, despite: text, ended: count.nullable(), expires_at: moment, pseudonymised: z.boolean() },
      }),
    )
    .readonly(),
  stops: z
    .array(
      z.object({
        ...{ at: time, reference: z.string(), verdict: z.string(), rule: z.string(), category: text, list: text },
        ...{ entry: text, host: text, client: z.string(), user: text, group: text, pseudonymised: z.boolean() },
      }),
    )
    .readonly(),
  memory: z
    .array(
      z.object({
        ...{ at: time, reference: z.string(), verdict: z.string(), rule: z.string(), url: z.string() },
        ...{ method: z.string(), client: z.string(), user: text },
      }),
    )
    .readonly(),
}

/** Kept until then, because a guesser would gain by its deletion. */
const kept = z.object({ rows: count, until: time }).nullable()

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
    /** Null where it is turned off. */
    journal: z
      .object({
        up: z.boolean(),
        /** Why the last write failed. */
        fault: z.string().nullable(),
        /** Stopped requests that are not written yet, and those of this process that never will be. */
        queued: count,
        lost: count,
        /** Acknowledgements and refused codes that are no event, because there is no more room. */
        lost_events: count,
        days: count,
        person_days: count,
        hosts: z.boolean(),
        /** When the oldest stopped request was. */
        oldest: time.nullable(),
      })
      .nullable(),
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
  'switches/on': z.object({ switches }),
  /** `names` are those that rules have. */
  'switches/list': z.object({ switches, names, more: z.boolean() }),
  'switches/off': ended.extend({ still_on: switches }),
  'codes/new': lessonCode.extend({ code: z.string() }),
  'codes/list': z.object({ codes: z.array(lessonCode).readonly(), more: z.boolean() }),
  'codes/end': ended,
  why: explanation,
  stopped: z.object({
    stops: z.array(stop).readonly(),
    more: z.boolean(),
    /** Where to go on: `after` of the next call. */
    next: z.string(),
    /** A network has so many addresses that rows with pseudonyms were left out. */
    without_pseudonyms: z.boolean(),
    /** So many clients of the networks are in the journal that the rows of some were left out. */
    without_some_clients: z.boolean(),
    /** What the journal keeps. */
    kept: z.object({ days: count, person_days: count, hosts: z.boolean() }),
  }),
  report,
  expectations: z.object({
    time,
    revision: z.string(),
    expectations: z
      .array(
        expectation.extend({
          /** What the policy in force decides about it. */
          ruled,
          /** Why that is not what must be; null where it is. */
          fault: z.string().nullable(),
          /** By what the sender differs from it, where the policy decides otherwise about the sender's request now. */
          differs_by: z.array(z.enum(['user', 'client', 'time'])).readonly(),
          /** The rule that depends on a user that the proxy does not name for the sender; null for none. */
          depends_on_user: z.string().nullable(),
          /** The switch that is on for the sender, whose rule decides about the sender's request now; null for none. */
          switch: z.string().nullable(),
          /** What opens the sender's request now, whatever the rules decide, in words; null for nothing. */
          opened_by: z.string().nullable(),
          /** When that permission ends; null for what else opens it. */
          opened_until: time.nullable(),
          /** Whether it is not decrypted for the sender: a stop shows no page. */
          exempt: z.boolean(),
        }),
      )
      .readonly(),
  }),
  'privacy/count': z.object({
    rows: z.object(personCounts),
    /** As it is compared. */
    person: z.object({ user: text, client: text, network: text }),
    /** Groups of the policy that name the user. */
    groups: names,
    /** Whether there is a journal of stopped requests. */
    journal: z.boolean(),
  }),
  'privacy/show': z.object({ ...personRows, next: z.string().nullable() }),
  'privacy/delete': z.object({
    deleted: z.object(personCounts),
    /** Sessions that were in force. */
    ended: count,
    kept: z.object({ attempts: kept, redemptions: kept }),
    /** Files of SQLite in which deleted rows may still be, and why. */
    remains: names,
    /** Databases whose files this engine does not see. */
    postgresql: names,
  }),
  'privacy/retention': z.object({
    /** Null without a journal. */
    journal: z.object({ days: count, person_days: count, hosts: z.boolean(), postgresql: z.boolean() }).nullable(),
    /** `session_minutes`: the longest of the policy. */
    state: z.object({ postgresql: z.boolean(), session_minutes: count }),
    /** Of each request that is stopped, in the engine's memory. */
    memory: count,
    log: z.object({ allowed: z.boolean(), hosts: z.boolean() }),
  }),
  diff: z.object({
    /** The path that was read. */
    file: z.string(),
    /** The number of requests that were compared, and when the oldest was stopped. */
    stopped: count,
    since: time.nullable(),
    /** Those of them that the policy in force would allow now. */
    open: count,
    opens: changes,
    changes,
    /** Expectations of both files that the two decide differently. */
    expected: z.array(expectation.extend({ before: ruled, after: ruled })).readonly(),
    /** Why a reload would keep the policy in force. */
    rejections: names,
  }),
  rules: z.object({
    revision: z.string(),
    /** Hits are counted since midnight, or since the engine's start. */
    since: time,
    timezone: z.string(),
    /** In the order in which they are tried; the default is the last. */
    rules: z.array(listedRule).readonly(),
  }),
}
