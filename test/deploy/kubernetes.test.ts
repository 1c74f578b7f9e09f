// The manifests for Kubernetes match the API's published schemas, and keep their promises about security and updates.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { after, test } from 'node:test'
import { Ajv } from 'ajv'
import { parseAllDocuments } from 'yaml'
import { loadPortalConfig } from '../../src/portal/settings/load.ts'
import { makeCertificate } from '../support/certificates.ts'
import { skipUnless, skipWithoutOpenssl } from '../support/requirement.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { blocks, blocksRunBy } from './command-blocks.ts'
import { run, sandbox } from './commands.ts'
import { kustomize, type Manifest } from './kustomize.ts'

const FOLDER = join(import.meta.dirname, '../../deploy/kubernetes')
const NOW = Math.floor(Date.now() / 1000)

const schema = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, 'schemas', `${name}.json`), 'utf8'))
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false })
ajv.addSchema(schema('kubernetes'), 'kubernetes')
const serviceMonitor = ajv.compile(schema('service-monitor'))

const { stdout: versions } = spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' })
const [, kustomizeMajor = 0] = /Kustomize Version: v(\d+)\./.exec(versions ?? '') ?? []
const skipWithoutKubectl = skipUnless(
  Number(kustomizeMajor) >= 5,
  'needs kubectl 1.27 or newer, to compare with its kustomize',
  'kubectl',
)

/** @returns the errors that the API would report */
function faults(manifest: Manifest): string[] {
  const { apiVersion, kind } = manifest
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion]
  const name = `io.k8s.api.${group?.replace('.k8s.io', '')}.${version}.${kind}`
  const validate = kind === 'ServiceMonitor' ? serviceMonitor : ajv.getSchema(`kubernetes#/definitions/${name}`)
  if (validate === undefined) return [`there is no ${name}`]
  validate(manifest)
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}

// As a site would have it, with all that there is.
const folder = overlayWithMonitoring()
const manifests = kustomize(folder)
const workloads = manifests.filter(({ kind }) => kind === 'Deployment')

test("every manifest matches the API's schema", () => {
  for (const manifest of manifests) assert.deepEqual(faults(manifest), [], manifest.metadata.name)
})

test('every pod meets the restricted Pod Security Standard, with a read-only root', () => {
  for (const workload of workloads) {
    const { spec } = podTemplate(workload)
    assert.equal(spec.securityContext.runAsNonRoot, true)
    assert.deepEqual(spec.securityContext.seccompProfile, { type: 'RuntimeDefault' })
    assert.equal(spec.automountServiceAccountToken, false)
    for (const container of spec.containers) {
      assert.equal(container.securityContext.allowPrivilegeEscalation, false)
      assert.equal(container.securityContext.readOnlyRootFilesystem, true)
      assert.deepEqual(container.securityContext.capabilities, { drop: ['ALL'] })
      assert.ok(container.resources.limits.memory)
    }
    const kinds = spec.volumes.flatMap((volume: object) => Object.keys(volume)).filter((key: string) => key !== 'name')
    assert.ok(kinds.every((kind: string) => ['secret', 'configMap', 'emptyDir'].includes(kind)))
  }
})

test('every mounted volume and every referenced name exists', () => {
  const names = new Set(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`))
  for (const workload of workloads) {
    const { spec, metadata } = podTemplate(workload)
    assert.ok(names.has(`ServiceAccount ${spec.serviceAccountName}`))
    // biome-ignore lint/suspicious/noExplicitAny: any workload
    assert.deepEqual((workload.spec as any).selector.matchLabels, metadata.labels)
    const volumes = spec.volumes.map(({ name }: { name: string }) => name)
    for (const { volumeMounts, envFrom } of spec.containers) {
      for (const mount of volumeMounts) assert.ok(volumes.includes(mount.name), mount.name)
      for (const { configMapRef } of envFrom ?? []) assert.ok(names.has(`ConfigMap ${configMapRef.name}`))
    }
  }
  const inNamespace = manifests.filter(({ kind }) => kind !== 'Namespace')
  assert.ok(inNamespace.every(({ metadata }) => metadata.namespace === 'captive-portal'))
})

test('only the terminator reaches the portal’s pages', () => {
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy')
  const nothing = policies.find(({ metadata }) => metadata.name === 'nothing-else')
  assert.deepEqual(nothing?.spec, { podSelector: {}, policyTypes: ['Ingress', 'Egress'] })
  const callers = policies.flatMap(({ spec }) => {
    // biome-ignore lint/suspicious/noExplicitAny: the schema is another test
    const { podSelector, ingress } = spec as any
    if (podSelector.matchLabels?.['app.kubernetes.io/name'] !== 'portal') return []
    return (ingress ?? [])
      .filter(({ ports }: { ports: { port: number }[] }) => ports.some(({ port }) => port === 8000))
      .flatMap(({ from }: { from: { podSelector: { matchLabels: object } }[] }) =>
        from.map((one) => one.podSelector.matchLabels),
      )
  })
  assert.deepEqual(callers, [{ 'app.kubernetes.io/name': 'terminator' }])
})

test('a dead engine or database does not take pages out of service', () => {
  const [container] = podTemplate(find(manifests, 'Deployment', 'portal')).spec.containers
  for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
    assert.deepEqual(container[probe].httpGet, { path: '/healthz', port: 'http' })
  }
})

test('the portal accepts these settings with the site’s pod range, and does not start without it', async (t) => {
  const [container] = podTemplate(find(manifests, 'Deployment', 'portal')).spec.containers
  const settings = find(manifests, 'ConfigMap', 'portal-settings').data as Record<string, string>
  const own = container.env.map(({ name, value }: { name: string; value: string }) => [name, value])
  const secrets = temporaryFolder(t)
  for (const file of ['shared-secret', 'secret-key', 'engine-api-token']) {
    writeFileSync(join(secrets, file), randomBytes(32).toString('base64url'))
  }
  writeFileSync(join(secrets, 'database-url'), 'postgresql://portal:password@postgresql:5432/portal?sslmode=disable')
  const fromPod = Object.entries({ ...settings, ...Object.fromEntries(own) })
  const environment = fromPod.map(([name, value]) => [name, value.replace('/run/secrets/portal', secrets)])
  const asShipped = Object.fromEntries(environment)
  await assert.rejects(loadPortalConfig(asShipped), (error: Error) => {
    assert.match(error.message, /^The configuration has 1 problem:\n.*GATEWAY_CAPTIVE_TRUSTED_PROXIES/)
    return true
  })
  const site = { GATEWAY_CAPTIVE_TRUSTED_PROXIES: '10.42.0.0/16', GATEWAY_ORG_NAME: 'Example Ltd' }
  const { config, warnings } = await loadPortalConfig({ ...asShipped, ...site })
  assert.deepEqual(warnings, [])
  assert.equal(config.database.dialect, 'postgres')
  assert.equal(config.engine.apiToken, readFileSync(join(secrets, 'engine-api-token'), 'utf8'))
})

test('kubectl renders the same manifests', { skip: skipWithoutKubectl }, () => {
  const text = execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8' })
  const theirs = parseAllDocuments(text.replaceAll(/portal-settings-\w{10}/g, 'portal-settings'))
  const byName = (manifest: Manifest) => `${manifest.kind} ${manifest.metadata.name}`
  const sorted = (all: Manifest[]) => all.sort((a, b) => (byName(a) < byName(b) ? -1 : 1))
  assert.deepEqual(sorted(theirs.map((document) => document.toJS())), sorted(kustomize(folder)))
})

test('docs/scaling.md: the site’s overlay, and the secrets that its pods mount', {
  skip: skipWithoutKubectl || skipWithoutOpenssl,
}, (t) => {
  const page = 'docs/scaling.md'
  const overlay = blocks(page).find(({ text }) => text.startsWith('# site/kustomization.yaml\n')) ?? assert.fail()
  const [commands, ...others] = blocksRunBy(import.meta.filename, page)
  assert.deepEqual(others, [])
  const { here, env, folder } = sandbox(t)
  mkdirSync(join(here, 'site'))
  writeFileSync(join(here, 'site', 'kustomization.yaml'), overlay.text)
  for (const name of ['aup.md', 'logo.svg']) writeFileSync(join(here, 'site', name), name)
  for (const name of ['shared-secret', 'secret-key', 'engine-api-token', 'database-url']) {
    writeFileSync(join(here, name), randomBytes(32).toString('base64url'))
  }
  const { certificate, key } = makeCertificate({ notBefore: NOW - 1_000, notAfter: NOW + 86_400 })
  writeFileSync(join(here, 'portal.crt'), certificate)
  writeFileSync(join(here, 'portal.key'), key)
  copyFileSync(join(here, 'portal.crt'), join(here, 'ca.crt'))
  // There is no cluster: it prints what it would send.
  const [kubectl] = execFileSync('sh', ['-c', 'command -v kubectl'], { encoding: 'utf8' }).split('\n')
  const stub = `#!/bin/sh
[ "$1 $2" = 'apply -k' ] && exec ${kubectl} kustomize "$3"
${kubectl} "$@" --dry-run=client --output=yaml && echo ---
`
  writeFileSync(join(folder, 'bin', 'kubectl'), stub, { mode: 0o755 })
  const { stdout } = run(commands?.text ?? '', { cwd: here, env })
  const sent: Manifest[] = parseAllDocuments(stdout).flatMap((document) => document.toJS() ?? [])
  const secrets = sent.filter(({ kind }) => kind === 'Secret')
  // Those of `kubectl create` have an empty time of creation, which the API accepts from kubectl.
  const created = ['Secret', 'Namespace']
  assert.deepEqual(sent.filter(({ kind }) => !created.includes(kind)).flatMap(faults), [])
  const mounted = sent
    .filter(({ kind }) => kind === 'Deployment')
    .flatMap((workload) => podTemplate(workload).spec.volumes)
    .flatMap(({ secret }) => secret?.secretName ?? [])
  assert.deepEqual(new Set(secrets.map(({ metadata }) => metadata.name)), new Set(mounted))
  assert.ok(sent.every(({ kind, metadata }) => kind === 'Namespace' || metadata.namespace === 'captive-portal'))
  const settings = sent.find(({ metadata }) => metadata.name.startsWith('portal-settings-'))?.data
  assert.equal((settings as Record<string, string>).GATEWAY_CAPTIVE_TRUSTED_PROXIES, '10.42.0.0/16')
})

test('the schemas are strict', () => {
  const manifest = find(kustomize(join(FOLDER, 'base')), 'Deployment', 'portal')
  const container = podTemplate(manifest).spec.containers[0]
  container.readinessProbes = container.readinessProbe
  container.ports[0].containerPort = '8000'
  assert.deepEqual(faults(manifest).length, 2)
})

function overlayWithMonitoring(): string {
  const folder = temporaryFolder({ after })
  const to = (path: string) => relative(folder, join(FOLDER, path))
  const lines = [
    'apiVersion: kustomize.config.k8s.io/v1beta1',
    'kind: Kustomization',
    `resources: [${to('overlays/external-postgres')}]`,
    `components: [${to('components/monitoring')}]`,
  ]
  writeFileSync(join(folder, 'kustomization.yaml'), `${lines.join('\n')}\n`)
  return folder
}

function find(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name)
  return found ?? assert.fail(`no ${kind} ${name}`)
}

// biome-ignore lint/suspicious/noExplicitAny: the schema is another test
function podTemplate(manifest: Manifest): any {
  return (manifest.spec as { template: unknown }).template
}
