// What the browser says of the device that it runs on: only the order of a page depends on it, never what it offers.

import type { RequestHeaders } from '../http/exchange.ts'
import type { System } from '../pages/ca-systems.ts'

export interface VisitorSystem {
  /** Undefined where the browser names none that the page knows. */
  readonly system: System | undefined
  /** Whether this is the window of a sign-in sheet, or of an app, and no browser: it cannot install anything. */
  readonly isSheet: boolean
}

/** By the hint of Chromium (sent over https only). */
const BY_HINT: ReadonlyMap<unknown, System> = new Map([
  ['"Android"', 'android'],
  ['"iOS"', 'ios'],
  ['"macOS"', 'macos'],
  ['"Windows"', 'windows'],
])

/** The first that matches; `Android` says Linux too, and an iPhone "like Mac OS X". */
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
 * Apple's sheets, and web views in apps, leave out the `Safari/…` that every browser has there; Android's web views say
 * `; wv)`.
 */
function isSheet(agent: string): boolean {
  const isApple = /AppleWebKit/.test(agent) && /iPhone|iPad|iPod|Macintosh/.test(agent)
  return (isApple && !/Safari\//.test(agent)) || /CaptiveNetworkSupport/.test(agent) || /Android.*; wv\)/.test(agent)
}
