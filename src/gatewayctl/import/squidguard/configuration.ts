// A configuration of squidGuard, or of ufdbGuard, which has the same blocks under more names.
import type { Timeline } from './times/timeline.ts'

export interface Named {
  readonly name: string
  readonly line: number
}

/** `within NAME` or `outside NAME`. */
export interface TimeReference extends Named {
  readonly isWithin: boolean
}

interface Time extends Named {
  readonly timeline: Timeline
}

export interface Source extends Named {
  /** In the form of the policy's `clients`. */
  readonly clients: string[]
  readonly users: string[]
  /** Files with addresses, and with users: as the configuration names them. */
  readonly clientFiles: Named[]
  readonly userFiles: Named[]
  /** What it is about, also where nothing of that could be imported: then it matches nobody. */
  readonly kinds: Set<'clients' | 'users' | 'others'>
  time: TimeReference | undefined
  /** Whether a request has to meet the conditions of every kind, or of one; undefined where the source does not say. */
  needsAll: boolean | undefined
  /** Whether the sources below it are asked, too, about what it passes. */
  isContinued: boolean
}

export interface Destination extends Named {
  domains: Named | undefined
  urls: Named | undefined
  time: TimeReference | undefined
  hasRedirect: boolean
}

export interface PassEntry extends Named {
  readonly isPassed: boolean
}

export interface Acl extends Named {
  readonly time: TimeReference | 'else' | undefined
  /** Where it is empty, that of the default is in force. */
  readonly pass: PassEntry[]
  hasRedirect: boolean
}

export interface Configuration {
  readonly times: Time[]
  readonly sources: Source[]
  readonly destinations: Destination[]
  readonly acls: Acl[]
  /** What shows that it is ufdbGuard's; undefined for squidGuard's. */
  readonly ufdbguard: Named | undefined
  /** The folder of the lists. */
  readonly dbhome: string
  readonly safesearch: boolean
}
