// Requests as listeners pass them to the engine.
import assert from 'node:assert/strict'
import { Subject } from '../../src/engine/policy/subject.ts'
import type { Switches } from '../../src/engine/policy/switches.ts'
import { parseClient } from '../../src/engine/request/client.ts'
import type { DecisionRequest, Identity } from '../../src/engine/request/decision-request.ts'
import { parseTarget, type Target } from '../../src/engine/request/target.ts'

export function identity(address: string, user?: string): Identity {
  return { client: parseClient(address) ?? assert.fail(address), user }
}

export function targetOf(url: string): Target {
  const target = parseTarget(url)
  assert.ok(target.reason === undefined, url)
  return target
}

export function requestFor(url: string, user?: string, address = '198.51.100.7', method = 'GET'): DecisionRequest {
  return { ...targetOf(url), ...identity(address, user), method }
}

/** @param at milliseconds since the epoch */
export function subjectFor(url: string, { user, address, at = 0, switches }: SubjectOptions = {}): Subject {
  return new Subject(requestFor(url, user, address), at, switches)
}

interface SubjectOptions {
  readonly user?: string | undefined
  readonly address?: string
  readonly at?: number
  readonly switches?: Switches
}
