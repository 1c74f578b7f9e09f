// What runs the gateway on this machine.
import type { Environment } from '../../../settings/reading.ts'
import { findInstallation } from '../../deployment/installation.ts'
import { Failure } from '../../failure.ts'

/** Undefined where its folder does not say. */
export function findRunBy(env: Environment): 'compose' | 'systemd' | undefined {
  try {
    return findInstallation(env).runBy.kind
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}
