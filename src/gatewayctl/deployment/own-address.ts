// The portal at its own address, for a gateway whose folder is missing here: in the portal's container, for example.
import type { Environment } from '../../settings/reading.ts'
import { parseProbeResult, probeArguments } from './probe.ts'
import { output } from './run-program.ts'
import type { Instance } from './runtime.ts'

const SECONDS = 15

/** What can be probed of a portal on this host. */
export type Probed = Pick<Instance, 'variables' | 'probe'>

export function portalOnThisHost(env: Environment, variables: Environment): Probed {
  // The portal's NODE_OPTIONS may grant folders, which fails for a Node without the permission model.
  const options = { cwd: '/', env: { ...env, NODE_OPTIONS: '' }, seconds: SECONDS }
  return {
    variables,
    probe: async (request) => parseProbeResult(await output([process.execPath, ...probeArguments(request)], options)),
  }
}
