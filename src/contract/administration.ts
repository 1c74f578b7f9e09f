// The engine's administration calls, `POST /api/admin/NAME` with a JSON object: what each call gets and what it returns. The
// engine parses the members of a request further, into hosts, addresses and users.
import type * as z from 'zod'
import type {
  administrationResponses,
  lessonCode,
  listedRule,
  permission,
  stop,
  switchOn,
} from './administration-responses.ts'

/** How many entries a list may have. */
export const MAXIMUM_LISTED = 1000
/** 31 days: what is to last longer belongs in the policy. */
export const MAXIMUM_PERMISSION_MINUTES = 60 * 24 * 31

/** Sessions or lockouts: of exactly these, or of all. A client, or the clients of a room. */
export interface Selection {
  readonly rule?: string | undefined
  readonly client?: string | undefined
  readonly room?: string | undefined
  readonly user?: string | undefined
}

interface SelectionToEnd extends Selection {
  readonly all?: true | undefined
}

/** At most this many, 100 by default. */
interface Limited {
  readonly limit?: number | undefined
}

/** Whom a permission is for: all that is named must match. */
export interface Scope {
  /** An address or a network. */
  readonly client?: string | undefined
  /** Of the policy's [rooms]; instead of a client. */
  readonly room?: string | undefined
  readonly user?: string | undefined
  readonly group?: string | undefined
}

interface PermissionRequest extends Scope {
  readonly host: string
  readonly minutes: number
  readonly by: string
  /** A switch whose rules it opens, too. */
  readonly despite?: string | undefined
}

/** A request by its reference, or by the members of a decision call and a time; for an address of the room, if that is named. */
interface Question {
  readonly reference?: string | undefined
  readonly url?: string | undefined
  readonly client?: string | undefined
  readonly room?: string | undefined
  readonly user?: string | undefined
  readonly method?: string | undefined
  /** ISO 8601. */
  readonly at?: string | undefined
}

/** Stopped requests: those that match all of these. */
interface StopSelection extends Selection, Limited {
  /** A host, or with a dot before it all below it, too. */
  readonly host?: string | undefined
  readonly reference?: string | undefined
  /** ISO 8601. */
  readonly since?: string | undefined
  /** `next` of an earlier response: what has come since, the oldest first. */
  readonly after?: string | undefined
}

/** Who sends requests through the proxy, as the proxy reports it. */
interface Sender {
  readonly client: string
  readonly user?: string | undefined
}

/** Exactly one of them. */
interface SwitchScope {
  readonly room?: string | undefined
  /** An address or a network. */
  readonly client?: string | undefined
  readonly everyone?: true | undefined
}

interface SwitchToTurnOn extends SwitchScope {
  readonly switch: string
  readonly minutes: number
  readonly by: string
}

interface SwitchToTurnOff extends SwitchScope {
  readonly switch: string
  /** Wherever it is on. */
  readonly all?: true | undefined
}

/** Whose data: a user in any spelling, or a client address. */
export type PersonNamed =
  | { readonly user: string; readonly client?: undefined }
  | { readonly client: string; readonly user?: undefined }

/** Each end of the period is a date in the engine's time zone, a time, or an ISO 8601 duration before now. */
interface ReportRequest {
  /** A duration in days begins at midnight. */
  readonly since: string
  /** Now, if it is missing. */
  readonly until?: string | undefined
  /** Whether users, clients and groups are named. */
  readonly people?: true | undefined
  /** Entries of each table, 20 by default. */
  readonly top?: number | undefined
}

interface Requests {
  readonly status: Readonly<Record<string, never>>
  readonly reload: { readonly accept_losses?: true | undefined }
  readonly 'sessions/list': Selection & Limited
  readonly 'sessions/end': SelectionToEnd
  readonly 'lockouts/list': Selection & Limited
  readonly 'lockouts/end': SelectionToEnd
  readonly 'permissions/allow': PermissionRequest
  readonly 'permissions/list': Limited
  /** Those for the host with exactly this scope, or those for everyone; with neither, all. */
  readonly 'permissions/end': Scope & { readonly host: string; readonly everyone?: true | undefined }
  readonly 'switches/on': SwitchToTurnOn
  readonly 'switches/list': Limited
  readonly 'switches/off': SwitchToTurnOff
  readonly 'codes/new': { readonly rule: string; readonly minutes: number; readonly by?: string | undefined }
  readonly 'codes/list': Limited
  readonly 'codes/end': { readonly id: string }
  readonly why: Question
  readonly stopped: StopSelection
  readonly rules: Readonly<Record<string, never>>
  readonly report: ReportRequest
  readonly expectations: Sender
  /** How much is stored about a person. */
  readonly 'privacy/count': PersonNamed
  /** The rows, in pages: `after` is the `next` of the page before. */
  readonly 'privacy/show': PersonNamed & Limited & { readonly after?: string | undefined }
  /** With `attempts`, also counts of wrong codes that are in force. */
  readonly 'privacy/delete': PersonNamed & { readonly by: string; readonly attempts?: true | undefined }
  /** How long what is kept. */
  readonly 'privacy/retention': Readonly<Record<string, never>>
  /** The name of a file next to the policy's. */
  readonly diff: { readonly file: string }
}

export type AdministrationCall = keyof Requests
export type AdministrationRequest<Name extends AdministrationCall> = Requests[Name]
export type AdministrationResponse<Name extends AdministrationCall> = z.output<(typeof administrationResponses)[Name]>

export type EngineStatus = AdministrationResponse<'status'>
export type Expectations = AdministrationResponse<'expectations'>
export type PolicyDifference = AdministrationResponse<'diff'>
export type Explanation = AdministrationResponse<'why'>
export type OpenPermission = z.output<typeof permission>
export type OpenSwitch = z.output<typeof switchOn>
export type OpenLessonCode = z.output<typeof lessonCode>
export type ListedStop = z.output<typeof stop>
export type PersonCounts = AdministrationResponse<'privacy/count'>
export type PersonPage = AdministrationResponse<'privacy/show'>
export type PersonDeletion = AdministrationResponse<'privacy/delete'>
export type EngineRetention = AdministrationResponse<'privacy/retention'>
export type ListedRule = z.output<typeof listedRule>
