// The portal: what `portal status` finds, and what a browser meets at its terminator.

import { findInstallation, missingInstallation } from '../../deployment/installation.ts'
import type { Finding } from '../../doctor/finding.ts'
import { Failure } from '../../failure.ts'
import { lookUpCa } from '../../portal/ca.ts'
import { type Deployment, describeDeployment } from '../../portal/doctor/deployment.ts'
import { checkClocks } from '../../portal/doctor/engine.ts'
import { checkTls } from '../../portal/doctor/https.ts'
import { ownFindings, portalFindings } from '../../portal/status.ts'
import { type Cause, type Checked, harmless } from '../cause.ts'
import { unitName } from './services.ts'
import type { Surroundings } from './surroundings.ts'
import { isExpected } from './units.ts'

/** By check of `portal status`: the cause, and the beginning of its sentence. Others are no reason for an alarm. */
const PORTAL: Readonly<Record<string, readonly [id: string, begin: string]>> = {
  portal: ['portal', 'The portal is not healthy'],
  engine: ['engine', 'The portal does not reach the engine'],
  secret: ['secret', 'Portal and engine have different secrets, so no page opens'],
  database: ['portal-database', 'The portal cannot write its ledger'],
}
const REPORTED = ['secret', 'portal-database']

export async function checkPortal(surroundings: Surroundings): Promise<Checked> {
  if (!isPortalHere(surroundings)) return { causes: [] }
  const { context, remedyFor } = surroundings
  const findings = await findingsOf(context)
  const causes = findings.flatMap(({ check, state, detail }): readonly Cause[] => {
    const [id, begin] = PORTAL[check] ?? []
    if (state !== 'failing' || id === undefined) return []
    const remedy = id === 'portal' || id === 'engine' ? remedyFor(id) : 'gatewayctl portal status'
    return [{ id, summary: `${begin}: ${harmless(detail)}`, remedy }]
  })
  const isDown = causes.some(({ id }) => id === 'portal')
  const unknown = findings.some(({ check }) => check === 'database') && !isDown ? [] : REPORTED
  return { causes, unknown }
}

async function findingsOf(context: Surroundings['context']): Promise<readonly Finding[]> {
  try {
    return await portalFindings(context)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return await ownFindings(context, error.message)
  }
}

/** Whether this machine has a portal, as a service, in a container here, or next to this container. */
function isPortalHere({ units, context }: Surroundings): boolean {
  const expected = isExpected(units, unitName('portal'))
  if (expected !== undefined || units === 'none') return expected ?? true
  try {
    return missingInstallation(context.env) === undefined && findInstallation(context.env).runBy.kind === 'compose'
  } catch {
    return false
  }
}

/** Reached at its own address, unless another machine has the terminator. */
async function deploymentOf({ context, connectHttps, units }: Surroundings): Promise<Deployment> {
  const isElsewhere = isExpected(units, unitName('terminator')) === false
  return await describeDeployment(context, { ...(connectHttps && !isElsewhere && { https: connectHttps }) })
}

/** What browsers get: the terminator, with a certificate that lasts. */
export async function checkTerminator(surroundings: Surroundings): Promise<Checked> {
  if (!isPortalHere(surroundings)) return { causes: [] }
  const { now, remedyFor } = surroundings
  const deployment = await deploymentOf(surroundings)
  if (!deployment.address.secure) return { causes: [] }
  try {
    const { state, detail } = await checkTls(deployment, now)
    if (state !== 'failing') return { causes: [] }
    const summary = `Browsers do not trust the portal’s certificate, or soon will not: ${harmless(detail)}`
    return {
      causes: [
        {
          id: 'certificate:portal',
          summary,
          remedy: 'gatewayctl portal doctor; journalctl -u gateway-terminator -n 30',
        },
      ],
    }
  } catch (error) {
    const summary = `The terminator does not respond: ${harmless((error as Error).message)}`
    return { causes: [{ id: 'terminator', summary, remedy: remedyFor('terminator') }], unknown: ['certificate'] }
  }
}

const DAY_MS = 86_400_000
const SOON_DAYS = 30

/** The interception CA, without a next one that replaces it in time. */
export async function checkCa({ context, now }: Surroundings): Promise<Checked> {
  let published: Awaited<ReturnType<typeof lookUpCa>>['published']
  try {
    published = (await lookUpCa(context)).published
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // Where none is published, inspection is off, or another machine has it.
    if (!/ expired on /.test(error.message)) return { causes: [] }
    return {
      causes: [{ id: 'certificate:ca', summary: `Browsers trust no site: ${harmless(error.message)}`, remedy: ROTATE }],
    }
  }
  const { certificate, next } = published
  const days = Math.floor((certificate.notAfter - now) / DAY_MS)
  if (days > SOON_DAYS || next !== undefined) return { causes: [] }
  const summary = `The interception CA expires in ${days} days, and there is no next one`
  return { causes: [{ id: 'certificate:ca', summary, remedy: ROTATE }] }
}

const ROTATE = 'gateway-engine --rotate-ca 14; docs/certificates.md'

/** The clocks of portal and engine, compared with this machine's. */
export async function checkOtherClocks(surroundings: Surroundings): Promise<Checked> {
  if (!isPortalHere(surroundings)) return { causes: [] }
  const deployment = await deploymentOf(surroundings)
  try {
    const findings = await checkClocks(deployment, surroundings.context.clock)
    const off = findings.filter(({ state }) => state === 'failing')
    const about = (check: string) => (check === 'clock-engine' ? 'engine' : 'portal')
    return {
      causes: off.map(({ check, detail }) => ({
        id: `clock:${about(check)}`,
        summary: `The clock of the ${about(check)} differs: ${harmless(detail)}; links expire too early, or are rejected`,
        remedy: 'timedatectl; gatewayctl portal doctor',
      })),
    }
  } catch {
    // That it does not respond is another cause.
    return { causes: [], unknown: ['clock'] }
  }
}
