// What deploy/backup/archive records about the machine that it backs up, in the first file of each archive.

export const MANIFEST = 'gateway-backup'

export interface Manifest {
  /** Undefined where it is not one, as in `addresses`. */
  readonly version: string | undefined
  /** ISO 8601. */
  readonly time: string | undefined
  readonly host: string | undefined
  readonly addresses: readonly string[]
  /** Units that start with the machine. */
  readonly enabled: readonly string[]
}

/** Lines of a name and values. Those of later versions may have more. */
export function parseManifest(text: string): Manifest {
  const lines = new Map(
    text.split('\n').map((line) => {
      const [name = '', ...values] = line.trim().split(/\s+/)
      return [name, values]
    }),
  )
  const values = (name: string, rule: RegExp) => (lines.get(name) ?? []).filter((value) => rule.test(value))
  return {
    version: values('version', /^\d{4}\.\d{1,2}\.\d{1,4}$/)[0],
    time: values('time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)[0],
    host: values('host', /^[\w.-]{1,255}$/)[0],
    addresses: values('addresses', /^[0-9a-f.:]{2,45}$/),
    enabled: values('enabled', /^gateway-[\w.@-]{1,200}\.(service|timer)$/),
  }
}

/** Whether the first version, such as 2026.49.0, is later than the second one. */
export function isLater(one: string, other: string): boolean {
  const [numbers, others] = [one, other].map((version) => version.split('.').map(Number)) as [number[], number[]]
  const at = numbers.findIndex((number, index) => number !== (others[index] ?? 0))
  return at !== -1 && (numbers[at] ?? 0) > (others[at] ?? 0)
}
