// What the deployment is meant to be, from the portal's own variables, and how the doctor reaches it.
import { rootCertificates } from 'node:tls'
import { certificateDownload } from '../../../certificate/downloads.ts'
import type { PublishedCa } from '../../../certificate/watch.ts'
import { certificate as certificateSection } from '../../../config/certificate.ts'
import type { Config } from '../../../config/config.ts'
import { engine as engineSection } from '../../../config/engine.ts'
import { loadSection } from '../../../config/load-section.ts'
import { publicAddress } from '../../../config/public-address.ts'
import type { Context } from '../../context.ts'
import { portalVariables } from '../../deployment/portal-variables.ts'
import { Failure } from '../../failure.ts'
import { lookUpCa } from '../ca.ts'
import { ask, type Received } from './request.ts'

export interface Connect {
  readonly host: string
  readonly port: number
}

export interface Deployment {
  readonly address: Config['publicAddress']
  /** What the configuration itself says of the address. */
  readonly warnings: readonly string[]
  readonly engine: Config['engine']
  readonly inspection: boolean
  readonly ca: PublishedCa | undefined
  /** Why there is none. */
  readonly whyNoCa: string | undefined
  /** What a visitor's device trusts once it has the CA. */
  readonly roots: readonly string[]
  /** The origin over plain http. */
  readonly plainOrigin: string
  /** A target on the base URL's origin. @throws {Error} when there is no answer */
  askSecure(target: string): Promise<Received>
  /** A target on the plain-http origin. @throws {Error} when there is no answer */
  askPlain(target: string): Promise<Received>
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
  let whyNoCa: string | undefined
  try {
    ca = (await lookUpCa(context)).published
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    whyNoCa = error.message
  }
  const own = ca === undefined ? [] : [ca.certificate, ...(ca.next === undefined ? [] : [ca.next])]
  const roots = [...own.map((each) => `${certificateDownload(each, 'crt', '').bytes}`), ...rootCertificates]
  const plainOrigin = address.secure
    ? `http://${new URL(address.baseUrl).hostname}${address.httpPort === 80 ? '' : `:${address.httpPort}`}`
    : address.baseUrl
  return {
    address,
    warnings,
    engine: loadSection(engineSection, env).part.engine,
    inspection,
    ca,
    whyNoCa,
    roots,
    plainOrigin,
    askSecure: (target) =>
      ask({ url: new URL(address.baseUrl + target), connect: address.secure ? connect.https : connect.http, roots }),
    askPlain: (target) => ask({ url: new URL(plainOrigin + target), connect: connect.http }),
  }
}
