// Renders deploy/kubernetes like `kubectl kustomize`, for machines without kubectl: it supports the few features that
// we use, and throws an error for others. Names get no checksum. With kubectl, a test compares the two.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'

export interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace?: string; [member: string]: unknown }
  [member: string]: unknown
}

interface Kustomization {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
  readonly resources?: readonly string[]
  readonly components?: readonly string[]
  readonly configMapGenerator?: readonly { readonly name: string; readonly envs: readonly string[] }[]
  readonly patches?: readonly {
    readonly path: string
    readonly target: { readonly kind: string; readonly name: string }
  }[]
}

type Operation = { readonly op: string; readonly path: string; readonly value: unknown }

/** @param before the manifests to which a component is applied */
export function kustomize(folder: string, before: readonly Manifest[] = []): Manifest[] {
  const kustomization: Kustomization = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8'))
  const { apiVersion, kind, namespace, resources, components, configMapGenerator, patches, ...others } = kustomization
  if (Object.keys(others).length > 0) throw new Error(`${folder}: ${Object.keys(others)} is not supported`)
  let manifests = [...before]
  for (const resource of resources ?? []) {
    const path = join(folder, resource)
    manifests.push(...(path.endsWith('.yaml') ? documents(path) : kustomize(path)))
  }
  for (const { name, envs } of configMapGenerator ?? []) {
    const lines = envs.flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
    const settings = lines.filter((line) => line !== '' && !line.startsWith('#'))
    const data = Object.fromEntries(settings.map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)]))
    manifests.push({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data })
  }
  for (const manifest of manifests) {
    if (namespace !== undefined && manifest.kind !== 'Namespace') manifest.metadata.namespace = namespace
  }
  for (const component of components ?? []) manifests = kustomize(join(folder, component), manifests)
  for (const { path, target } of patches ?? []) {
    const change = parse(readFileSync(join(folder, path), 'utf8'))
    if (!Array.isArray(change)) throw new Error(`${folder}: this kind of patch is not supported`)
    for (const operation of change) applyOperation(operation, find(manifests, target))
  }
  return manifests
}

export function documents(path: string): Manifest[] {
  return parseAllDocuments(readFileSync(path, 'utf8')).map((document) => {
    const [error] = document.errors
    if (error !== undefined) throw new Error(`${path}: ${error.message}`)
    return document.toJS()
  })
}

function find(manifests: readonly Manifest[], target: { kind: string; name: string }): Manifest {
  const found = manifests.filter(({ kind, metadata }) => kind === target.kind && metadata.name === target.name)
  const [only] = found
  if (only === undefined || found.length > 1) throw new Error(`${found.length} of ${target.kind} ${target.name}`)
  return only
}

/** RFC 6902: `add` to the end of a list. */
function applyOperation({ op, path, value }: Operation, manifest: Manifest): void {
  const keys = path.split('/').slice(1)
  const last = keys.pop() as string
  // biome-ignore lint/suspicious/noExplicitAny: any part of any manifest
  const parent = keys.reduce((part: any, key) => part[key], manifest)
  if (op !== 'add' || last !== '-') throw new Error(`${op} ${path} is not supported`)
  parent.push(value)
}
