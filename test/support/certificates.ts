// Creates good and hostile certificates with OpenSSL, and checks the portal's downloads independently.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Both in PEM. */
export interface MadeCertificate {
  readonly certificate: string
  readonly key: string
}

export interface CertificateOptions {
  /** In OpenSSL's format: `/O=Northwind/CN=Northwind CA`. */
  readonly subject?: string
  /** Unix seconds. */
  readonly notBefore: number
  readonly notAfter: number
  readonly algorithm?: 'EC' | 'RSA'
  /** Lines of an extension section; by default a CA's. */
  readonly extensions?: readonly string[]
  /** The issuer; self-signed by default. */
  readonly issuer?: MadeCertificate
}

const DAY_SECONDS = 86_400
const CA_EXTENSIONS = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign']
const ALGORITHMS = {
  EC: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  RSA: ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'],
}

export function openssl(parameters: readonly string[], input?: string | Buffer): Buffer {
  return execFileSync('openssl', parameters, { input, stdio: ['pipe', 'pipe', 'pipe'], timeout: 20_000 })
}

export function makeCertificate(options: CertificateOptions): MadeCertificate {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
  const file = (name: string) => join(folder, name)
  const { subject = '/O=Northwind Institute/CN=Northwind CA', issuer, extensions = CA_EXTENSIONS } = options
  try {
    const key = openssl(['genpkey', ...ALGORITHMS[options.algorithm ?? 'EC']]).toString()
    writeFileSync(file('key.pem'), key)
    writeFileSync(file('signer.pem'), issuer?.key ?? key)
    writeFileSync(file('issuer.pem'), issuer?.certificate ?? '')
    writeFileSync(file('index.txt'), '')
    writeFileSync(
      file('ca.cnf'),
      `[ca]
default_ca = authority
[authority]
database = ${file('index.txt')}
new_certs_dir = ${folder}
rand_serial = yes
default_md = sha256
policy = anything
string_mask = utf8only
[anything]
countryName = optional
organizationName = optional
commonName = optional
[extensions]
${extensions.join('\n')}
`,
    )
    openssl(['req', '-new', '-utf8', '-key', file('key.pem'), '-subj', subject, '-out', file('request.pem')])
    openssl([
      ...['ca', '-batch', '-notext', '-utf8', '-preserveDN', '-config', file('ca.cnf'), '-extensions', 'extensions'],
      ...['-in', file('request.pem'), '-out', file('certificate.pem'), '-keyfile', file('signer.pem')],
      ...(issuer === undefined ? ['-selfsign'] : ['-cert', file('issuer.pem')]),
      ...['-startdate', opensslTime(options.notBefore), '-enddate', opensslTime(options.notAfter)],
    ])
    return { certificate: readFileSync(file('certificate.pem'), 'utf8'), key }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A CA and a server certificate that it issued for these hosts, both currently valid by the real clock. */
export function makeServed(...hosts: readonly string[]): {
  readonly ca: MadeCertificate
  readonly leaf: MadeCertificate
} {
  const ca = makeCertificate(currentYear())
  return { ca, leaf: makeLeaf(ca, ...hosts) }
}

/** A server certificate for these hosts, currently valid by the real clock. */
export function makeLeaf(issuer: MadeCertificate, ...hosts: readonly string[]): MadeCertificate {
  const names = hosts.map((host) => `DNS:${host}`).join(',')
  const extensions = ['basicConstraints=CA:FALSE', `subjectAltName=${names}`, 'extendedKeyUsage=serverAuth']
  return makeCertificate({ ...currentYear(), subject: `/CN=${hosts[0]}`, issuer, extensions })
}

function currentYear(): Pick<CertificateOptions, 'notBefore' | 'notAfter'> {
  const now = Math.floor(Date.now() / 1000)
  return { notBefore: now - DAY_SECONDS, notAfter: now + 365 * DAY_SECONDS }
}

/** @returns OpenSSL's fingerprint of a certificate, in the portal's format */
export function fingerprint(certificate: string | Buffer, digest: 'sha256' | 'sha1', form: 'pem' | 'der'): string {
  const said = openssl(['x509', '-inform', form, '-noout', '-fingerprint', `-${digest}`], certificate).toString()
  return said.trim().replace(/^.*=/, '')
}

/** Replaces a file atomically, as a publisher should. */
export function replaceFile(path: string, content: string | Buffer): void {
  writeFileSync(`${path}.unfinished`, content)
  renameSync(`${path}.unfinished`, path)
}

function opensslTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/[-:T]|\.\d+/g, '')
}
