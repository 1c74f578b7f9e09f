// Generates the CycloneDX bill of materials of the run-time packages of all programs from the lockfile, reproducibly.
// `npm sbom` is not used, because with --omit=dev it omits run-time packages that a development tool also needs (pg and
// zod here).
import { createHash } from 'node:crypto'
import packageJson from '#package' with { type: 'json' }
import { dependenciesOf, lockedPackages, packageName, runTimePackages } from './run-time-packages.ts'

/** CycloneDX 1.6, JSON. @param nodeVersion of the shipped Node */
export function billOfMaterials(nodeVersion: string): string {
  const { name, version, license, description } = packageJson
  const root = reference(name, version)
  const node = { type: 'platform', name: 'node', version: nodeVersion, purl: `pkg:generic/node@${nodeVersion}` }
  const paths = runTimePackages().toSorted()
  const direct = Object.keys(packageJson.dependencies).map((name) => `node_modules/${name}`)
  const needs = (ref: string, dependencies: readonly string[], ...more: readonly string[]) => ({
    ref,
    dependsOn: [...more, ...dependencies.map(referenceOf).toSorted()],
  })
  const contents = {
    metadata: {
      component: {
        'bom-ref': root,
        type: 'application',
        name,
        version,
        description,
        licenses: [{ expression: license }],
        purl: root,
      },
    },
    components: [{ 'bom-ref': node.purl, ...node }, ...paths.map(component)],
    dependencies: [
      needs(root, direct, node.purl),
      ...paths.map((path) => needs(referenceOf(path), dependenciesOf(path))),
    ],
  }
  const serial = uuid(createHash('sha256').update(JSON.stringify(contents)).digest())
  const head = { bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber: `urn:uuid:${serial}`, version: 1 }
  return `${JSON.stringify({ ...head, ...contents }, undefined, 2)}\n`
}

function component(path: string) {
  const { version, license, integrity } = lockedPackages[path] ?? {}
  if (version === undefined || license === undefined || !integrity?.startsWith('sha512-')) {
    throw new Error(`the lockfile lacks version, licence or SHA-512 of ${path}`)
  }
  return {
    'bom-ref': referenceOf(path),
    type: 'library',
    name: packageName(path),
    version,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex') }],
    licenses: [{ expression: license }],
    purl: referenceOf(path),
  }
}

function referenceOf(path: string): string {
  return reference(packageName(path), lockedPackages[path]?.version ?? '')
}

function reference(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

/** A UUID of version 8 (RFC 9562) with the bits of the digest. */
function uuid(digest: Buffer): string {
  const bytes = Buffer.from(digest.subarray(0, 16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
