// `portal ca`: the published interception CA, to compare with the certificate page.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Command, Option } from 'commander'
import type { CaCertificate } from '../../certificate/ca-certificate.ts'
import { certificateDownload } from '../../certificate/downloads.ts'
import { type Found, type PublishedCa, publishedCertificates } from '../../certificate/watch.ts'
import { loadSection } from '../../settings/load-section.ts'
import { certificate as certificateSection } from '../../settings/sections/certificate.ts'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { isPortalInContainer } from '../deployment/installation.ts'
import { PORTAL_VARIABLES, portalVariables } from '../deployment/portal-variables.ts'
import { Failure } from '../failure.ts'
import { printable, printableJson } from '../terminal/printable.ts'
import { createStyle } from '../terminal/style.ts'

interface CaOptions {
  readonly json?: true
  readonly pem?: true
  readonly next?: true
}

const DAY_MS = 86_400_000
const SOON_DAYS = 30
const GROUPS_IN_A_LINE = 4
const IN_THE_CONTAINER =
  'the portal runs in a container, so run this in it: docker compose exec portal node src/gatewayctl/main.ts portal ca'

export function caCommand(context: Context): Command {
  return createCommand(context, 'ca', {
    purpose: 'Shows the published interception CA, to compare with the certificate page.',
    details: `
It reads the file that GATEWAY_CAPTIVE_CA_PATH names, by the portal's own rules:
it shows what /ca shows and /ca.crt serves. The exit code is 1 if there is none.
The next certificate, in ca-next.crt in the same folder, is shown as well.
${PORTAL_VARIABLES}`,
    examples: [
      'gatewayctl portal ca',
      'gatewayctl portal ca --json | jq .certificate.days_left',
      'gatewayctl portal ca --pem > gateway-ca.crt',
      'gatewayctl portal ca --pem --next > gateway-ca-next.crt',
    ],
  })
    .addOption(new Option('--json', 'as one JSON document').conflicts('pem'))
    .addOption(new Option('--pem', 'only the certificate'))
    .addOption(new Option('--next', 'with --pem: the next certificate').implies({ pem: true }).conflicts('json'))
    .action(async (options: CaOptions) => {
      const { path, published, remarks } = await lookUpCa(context)
      if (options.pem) {
        const wanted = options.next ? published.next : published.certificate
        if (wanted === undefined) throw new Failure(`no next certificate is published in the folder of ${path}`)
        context.stdout.write(certificateDownload(wanted, 'crt', '').bytes)
        return
      }
      context.stdout.write(options.json ? asJson(context, path, published) : asText(context, published))
      for (const remark of remarks) context.stderr.write(`${printable(remark)}\n`)
    })
}

/** What the portal currently publishes. @throws {Failure} if that is nothing */
export async function lookUpCa({ env, clock }: Pick<Context, 'env' | 'clock'>): Promise<{
  readonly path: string
  readonly published: PublishedCa
  /** Notes about an unusable next certificate. */
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
    const elsewhere = isPortalInContainer(env) && !existsSync(path) ? `; ${IN_THE_CONTAINER}` : ''
    throw new Failure(`no certificate is published: ${why}${elsewhere}`)
  }
  const nextPath = join(dirname(path), 'ca-next.crt')
  const next = found.get(nextPath)
  const isUnfit = published.next === undefined && next !== undefined && next !== 'missing'
  const remarks = !isUnfit
    ? []
    : 'sha256' in next && next.sha256 === published.certificate.sha256
      ? [`${nextPath} holds the published certificate itself.`]
      : [`No next certificate: ${whyNone(nextPath, next)}.`]
  return { path, published, remarks }
}

function whyNone(path: string, found: Found | undefined): string {
  if (found === undefined || found === 'missing') return `there is no file ${path} (GATEWAY_CAPTIVE_CA_PATH)`
  if ('unusable' in found) return `${path}: ${found.unusable}`
  return `the one in ${path} expired on ${iso(found.notAfter)}`
}

function asJson({ clock }: Context, path: string, { certificate, next }: PublishedCa): string {
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

function asText(context: Context, { certificate, next }: PublishedCa): string {
  const style = createStyle(context)
  const now = context.clock()
  const lines = (ca: CaCertificate) => {
    const days = daysLeft(ca, now)
    const soon = days <= SOON_DAYS
    return [
      ['Subject', printable(ca.subject)],
      ['Valid from', `${iso(ca.notBefore)}${ca.notBefore > now ? ' (not yet)' : ''}`],
      ['Valid until', iso(ca.notAfter)],
      ['Days left', style(soon ? 'yellow' : undefined, `${days}${soon ? ' (it expires soon)' : ''}`)],
      ...fingerprintLines('SHA-256', ca.sha256),
      ...fingerprintLines('SHA-1', ca.sha1),
    ].map(([name = '', value]) => `${name.padEnd(12)}${value}`)
  }
  const nextLines = next === undefined ? [] : ['', style('bold', 'The next certificate'), ...lines(next)]
  return `${[style('bold', 'The published certificate'), ...lines(certificate), ...nextLines].join('\n')}\n`
}

/** Groups of four bytes, as on the certificate page, in lines that fit a terminal. */
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
