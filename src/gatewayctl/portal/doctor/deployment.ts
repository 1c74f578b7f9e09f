// The intended deployment, read from the portal's variables, and how the doctor connects to it.
import { rootCertificates } from 'node:tls'
import { certificateDownload } from '../../../certificate/downloads.ts'
import type { PublishedCa } from '../../../certificate/watch.ts'
import { loadSection } from '../../../settings/load-section.ts'
import { certificate as certificateSection } from '../../../settings/sections/certificate.ts'
import { type EngineSettings, engine as engineSection } from '../../../settings/sections/engine.ts'
import { type PublicAddressSettings, publicAddress } from '../../../settings/sections/public-address.ts'
import type { Context } from '../../context.ts'
import { type PortalKeys, portalKeys } from '../../deployment/portal-keys.ts'
import { portalVariables } from '../../deployment/portal-variables.ts'
import type { Finding } from '../../doctor/finding.ts'
import { type Response, send } from '../../doctor/request.ts'
import { missingVariables } from '../../doctor/variables.ts'
import { Failure } from '../../failure.ts'
import { lookUpCa } from '../ca.ts'

export interface Connect {
  readonly host: string
  readonly port: number
}

export interface Deployment {
  /** A finding where no variable describes it. */
  readonly missingVariables: Finding | undefined
  readonly address: PublicAddressSettings['publicAddress']
  /** Warnings of the configuration about the address. */
  readonly warnings: readonly string[]
  readonly engine: EngineSettings['engine']
  readonly portalKeys: PortalKeys
  readonly inspection: boolean
  readonly ca: PublishedCa | undefined
  /** Why `ca` is undefined. */
  readonly missingCaReason: string | undefined
  /** What a visitor's device trusts after installing the CA. */
  readonly roots: readonly string[]
  /** The origin over plain http. */
  readonly plainOrigin: string
  /** Requests a target on the base URL's origin. @throws {Error} without a response */
  requestSecure(target: string): Promise<Response>
  /** Requests a target on the plain-http origin. @throws {Error} without a response */
  requestPlain(target: string): Promise<Response>
}

export async function describeDeployment(
  context: Context,
  connect: { readonly http?: Connect; readonly https?: Connect },
): Promise<Deployment> {
  const env = portalVariables(context.env)
  const { part, warnings } = loadSection(publicAddress, env)
  const { publicAddress: address } = part
  const { inspection } = loadSection(certificateSection, env).part.certificate
  let ca: PublishedCa | undefined
  let missingCaReason: string | undefined
  try {
    ca = (await lookUpCa(context)).published
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    missingCaReason = error.message
  }
  const own = ca === undefined ? [] : [ca.certificate, ...(ca.next === undefined ? [] : [ca.next])]
  const roots = [...own.map((each) => `${certificateDownload(each, 'crt', '').bytes}`), ...rootCertificates]
  const plainOrigin = address.secure
    ? `http://${new URL(address.baseUrl).hostname}${address.httpPort === 80 ? '' : `:${address.httpPort}`}`
    : address.baseUrl
  return {
    missingVariables: missingVariables(env, ['GATEWAY_CAPTIVE_'], address.baseUrl),
    address,
    warnings,
    engine: loadSection(engineSection, env).part.engine,
    portalKeys: portalKeys(context.env),
    inspection,
    ca,
    missingCaReason,
    roots,
    plainOrigin,
    requestSecure: (target) =>
      send({ url: new URL(address.baseUrl + target), connect: address.secure ? connect.https : connect.http, roots }),
    requestPlain: (target) => send({ url: new URL(plainOrigin + target), connect: connect.http }),
  }
}
