// The visitor's operating system, by request headers. It determines only the order of the instructions on the page.

import type { System } from '../certificate/systems.ts'
import type { RequestHeaders } from '../http/request-headers.ts'

export interface VisitorSystem {
  /** Undefined when unknown, or when the page has no instructions for it. */
  readonly system: System | undefined
  /** Whether this is a sign-in sheet or a web view in an app, which cannot install certificates. */
  readonly isSheet: boolean
}

/** By Chromium's client hint, which is sent over https only. */
const BY_HINT: ReadonlyMap<unknown, System> = new Map([
  ['"Android"', 'android'],
  ['"iOS"', 'ios'],
  ['"macOS"', 'macos'],
  ['"Windows"', 'windows'],
])

/** First match: Android's also contains `Linux`, and an iPhone's `like Mac OS X`. */
const BY_AGENT: readonly [RegExp, System | undefined][] = [
  [/iPhone|iPad|iPod/, 'ios'],
  [/Android/, 'android'],
  [/Windows NT/, 'windows'],
  [/Macintosh/, 'macos'],
  [/CrOS/, undefined],
  [/Fedora|Red Hat|CentOS|Rocky|AlmaLinux/, 'rhel'],
  [/Linux|X11/, 'debian'],
]

export function visitorSystem(headers: Pick<RequestHeaders, 'user-agent' | 'sec-ch-ua-platform'>): VisitorSystem {
  const agent = headers['user-agent'] ?? ''
  const [, byAgent] = BY_AGENT.find(([pattern]) => pattern.test(agent)) ?? []
  return { system: BY_HINT.get(headers['sec-ch-ua-platform']) ?? byAgent, isSheet: isSheet(agent) }
}

/**
 * Apple's sign-in sheets and web views omit the `Safari/…` of browsers; Android's web views contain `; wv)`.
 */
function isSheet(agent: string): boolean {
  const isApple = /AppleWebKit/.test(agent) && /iPhone|iPad|iPod|Macintosh/.test(agent)
  return (isApple && !/Safari\//.test(agent)) || /CaptiveNetworkSupport/.test(agent) || /Android.*; wv\)/.test(agent)
}
