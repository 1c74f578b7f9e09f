// Recreates the schemas in this folder from the sources that README.md names: the kinds that we ship and the
// definitions that they use, without descriptions, and strict: an unknown member is an error, as with `kubectl
// --validate=strict`.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

type Schema = { [member: string]: unknown }

const REF = '#/definitions/'
const INT_OR_STRING = { type: ['integer', 'string'] }
// The published document says string; every client also accepts a number.
const QUANTITY = { type: ['string', 'number'] }
const KINDS = [
  'io.k8s.api.apps.v1.Deployment',
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler',
  'io.k8s.api.core.v1.ConfigMap',
  'io.k8s.api.core.v1.Namespace',
  'io.k8s.api.core.v1.Service',
  'io.k8s.api.core.v1.ServiceAccount',
  'io.k8s.api.networking.v1.NetworkPolicy',
  'io.k8s.api.policy.v1.PodDisruptionBudget',
]

const [swagger, serviceMonitor] = process.argv.slice(2)
if (swagger === undefined || serviceMonitor === undefined) {
  process.stderr.write('extract.ts SWAGGER.json SERVICEMONITORS.yaml\n')
  process.exit(2)
}

const { definitions } = JSON.parse(readFileSync(swagger, 'utf8')) as { definitions: Record<string, Schema> }
const needed: Record<string, Schema> = {}
const waiting = [...KINDS]
for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
  if (name in needed) continue
  needed[name] = strict(definitions[name] as Schema, waiting)
}
write('kubernetes.json', { definitions: needed })

const crd = parse(readFileSync(serviceMonitor, 'utf8'))
write('service-monitor.json', strict(crd.spec.versions[0].schema.openAPIV3Schema, []))

/** @param references collects the names of the definitions that this one needs */
function strict(schema: Schema, references: string[]): Schema {
  const { description, format, ...rest } = schema
  if (format === 'int-or-string' || rest['x-kubernetes-int-or-string'] === true) return INT_OR_STRING
  const result: Schema = {}
  for (const [member, value] of Object.entries(rest)) {
    if (member.startsWith('x-kubernetes-') || member === 'default') continue
    if (member === '$ref') {
      const name = `${value}`.slice(REF.length)
      if (name.endsWith('.resource.Quantity')) return QUANTITY
      references.push(name)
      result.$ref = value
    } else if (member === 'properties') {
      const properties = Object.entries(value as Record<string, Schema>)
      result.properties = Object.fromEntries(properties.map(([name, one]) => [name, strict(one, references)]))
      result.additionalProperties = false
    } else if (member === 'items' || member === 'additionalProperties') {
      result[member] = typeof value === 'object' ? strict(value as Schema, references) : value
    } else result[member] = value
  }
  if ('properties' in rest && 'additionalProperties' in rest) result.additionalProperties = rest.additionalProperties
  return result
}

function write(name: string, schema: object): void {
  writeFileSync(join(import.meta.dirname, name), `${JSON.stringify(schema)}\n`)
}
