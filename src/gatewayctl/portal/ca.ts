// `portal ca`: the published interception CA, to compare with what the certificate page shows.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Command, Option } from 'commander'
import type { CaCertificate } from '../../certificate/ca-certificate.ts'
import { certificateDownload } from '../../certificate/downloads.ts'
import { type Found, type PublishedCa, publishedCertificates } from '../../certificate/watch.ts'
import { certificate as certificateSection } from '../../config/certificate.ts'
import { loadSection } from '../../config/load-section.ts'
import { isPortalInContainer } from '../deployment/installation.ts'
import { PORTAL_VARIABLES, portalVariables } from '../deployment/portal-variables.ts'
import { Failure } from '../failure.ts'
import { createPaint } from '../paint.ts'
import { printable, printableJson } from '../printable.ts'
import { verb } from '../verb.ts'
import type { World } from '../world.ts'

interface CaOptions {
  readonly json?: true
  readonly pem?: true
  readonly next?: true
}

const DAY_MS = 86_400_000
const SOON_DAYS = 30
const GROUPS_IN_A_LINE = 4
const BESIDE_THE_CONTAINER =
  'the portal is a container, so ask beside it: docker compose exec portal node src/gatewayctl/main.ts portal ca'

export function showCa(world: World): Command {
  return verb(world, 'ca', {
    purpose: 'Shows the published interception CA, to compare with the certificate page.',
    details: `
It reads the file that GATEWAY_CAPTIVE_CA_PATH names, by the portal's own rules:
what is shown here is what /ca shows and /ca.crt hands out. The exit code is 1
when there is none. The certificate to come, in ca-next.crt beside it, is shown
as well.
${PORTAL_VARIABLES}`,
    examples: [
      'gatewayctl portal ca',
      'gatewayctl portal ca --json | jq .certificate.days_left',
      'gatewayctl portal ca --pem > gateway-ca.crt',
      'gatewayctl portal ca --pem --next > gateway-ca-next.crt',
    ],
  })
    .addOption(new Option('--json', 'as one JSON document').conflicts('pem'))
    .addOption(new Option('--pem', 'the certificate itself and nothing else'))
    .addOption(new Option('--next', 'with --pem: the certificate to come').implies({ pem: true }).conflicts('json'))
    .action(async (options: CaOptions) => {
      const { path, published, remarks } = await lookUpCa(world)
      if (options.pem) {
        const wanted = options.next ? published.next : published.certificate
        if (wanted === undefined) throw new Failure(`no certificate to come is published beside ${path}`)
        world.stdout.write(certificateDownload(wanted, 'crt', '').bytes)
        return
      }
      world.stdout.write(options.json ? asJson(world, path, published) : asText(world, published))
      for (const remark of remarks) world.stderr.write(`${printable(remark)}\n`)
    })
}

/** What is published as the portal sees it now. @throws {Failure} when that is nothing */
export async function lookUpCa({ env, clock }: Pick<World, 'env' | 'clock'>): Promise<{
  readonly path: string
  readonly published: PublishedCa
  /** What else is to be said: of a certificate to come that cannot be used. */
  readonly remarks: readonly string[]
}> {
  const { inspection, path } = loadSection(certificateSection, portalVariables(env)).part.certificate
  if (!inspection) {
    throw new Failure('inspection is off (GATEWAY_CAPTIVE_SSL_BUMP), so the portal offers no certificate')
  }
  const found = new Map<string, Found>()
  const certificates = publishedCertificates({ path, clock, onChange: (file, what) => found.set(file, what) })
  await certificates.refresh()
  const published = certificates.current()
  if (published === undefined) {
    const why = whyNone(path, found.get(path))
    const elsewhere = isPortalInContainer(env) && !existsSync(path) ? `; ${BESIDE_THE_CONTAINER}` : ''
    throw new Failure(`no certificate is published: ${why}${elsewhere}`)
  }
  const nextPath = join(dirname(path), 'ca-next.crt')
  const next = found.get(nextPath)
  const isUnfit = published.next === undefined && next !== undefined && next !== 'missing'
  const remarks = !isUnfit
    ? []
    : 'sha256' in next && next.sha256 === published.certificate.sha256
      ? [`${nextPath} holds the published certificate itself.`]
      : [`No certificate to come: ${whyNone(nextPath, next)}.`]
  return { path, published, remarks }
}

function whyNone(path: string, found: Found | undefined): string {
  if (found === undefined || found === 'missing') return `there is no file ${path} (GATEWAY_CAPTIVE_CA_PATH)`
  if ('unusable' in found) return `${path}: ${found.unusable}`
  return `the one in ${path} expired on ${iso(found.notAfter)}`
}

function asJson({ clock }: World, path: string, { certificate, next }: PublishedCa): string {
  const described = (ca: CaCertificate) => ({
    subject: ca.subject,
    not_before: iso(ca.notBefore),
    not_after: iso(ca.notAfter),
    days_left: daysLeft(ca, clock()),
    sha256: ca.sha256,
    sha1: ca.sha1,
  })
  return `${printableJson({ path, certificate: described(certificate), next: next === undefined ? null : described(next) }, 2)}\n`
}

function asText(world: World, { certificate, next }: PublishedCa): string {
  const paint = createPaint(world)
  const now = world.clock()
  const lines = (ca: CaCertificate) => {
    const days = daysLeft(ca, now)
    const soon = days <= SOON_DAYS
    return [
      ['Subject', printable(ca.subject)],
      ['Valid from', `${iso(ca.notBefore)}${ca.notBefore > now ? ' (not yet)' : ''}`],
      ['Valid until', iso(ca.notAfter)],
      ['Days left', paint(soon ? 'yellow' : undefined, `${days}${soon ? ' (it is time for another one)' : ''}`)],
      ...fingerprintLines('SHA-256', ca.sha256),
      ...fingerprintLines('SHA-1', ca.sha1),
    ].map(([name = '', value]) => `${name.padEnd(12)}${value}`)
  }
  const toCome =
    next === undefined
      ? []
      : ['', paint('bold', `The certificate to come, used from ${iso(next.notBefore)} on`), ...lines(next)]
  return `${[paint('bold', 'The published certificate'), ...lines(certificate), ...toCome].join('\n')}\n`
}

/** Four bytes at a time, as on the certificate page, in lines that fit a terminal. */
function fingerprintLines(name: string, fingerprint: string): readonly (readonly [string, string])[] {
  const groups = fingerprint.match(/(?:\w\w:?){1,4}/g) ?? []
  const lines: [string, string][] = []
  for (let at = 0; at < groups.length; at += GROUPS_IN_A_LINE) {
    lines.push([at === 0 ? name : '', groups.slice(at, at + GROUPS_IN_A_LINE).join(' ')])
  }
  return lines
}

const iso = (time: number) => new Date(time).toISOString().replace('.000Z', 'Z')
const daysLeft = ({ notAfter }: CaCertificate, now: number) => Math.ceil((notAfter - now) / DAY_MS)
