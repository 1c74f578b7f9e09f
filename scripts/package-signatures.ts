// Whether the installed packages carry the registry's signatures, by `npm audit signatures`. A registry without keys, a
// mirror for instance, cannot verify them: that is reported and is no failure.
import { spawnSync } from 'node:child_process'

export type Signatures =
  | { readonly kind: 'verified' }
  /** Packages as `name@version`. */
  | { readonly kind: 'wrong'; readonly packages: readonly string[] }
  | { readonly kind: 'unknown'; readonly reason: string }

const PATIENCE_MS = 180_000
// Without a network it would take minutes.
const QUICKLY = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-timeout=20000']

/** @param root the folder of package.json */
export function checkSignatures(root: string): Signatures {
  const { stdout, error: failure } = spawnSync('npm', ['audit', 'signatures', '--json', ...QUICKLY], {
    cwd: root,
    encoding: 'utf8',
    timeout: PATIENCE_MS,
  })
  const { invalid, missing, error } = parseObject(stdout)
  if (Array.isArray(invalid) && Array.isArray(missing)) {
    const packages = [...invalid, ...missing].map(({ name, version }) => `${name}@${version}`)
    return packages.length === 0 ? { kind: 'verified' } : { kind: 'wrong', packages }
  }
  if (failure !== undefined) return { kind: 'unknown', reason: failure.message }
  const { summary } = Object(error) as { readonly summary?: unknown }
  const [reason = ''] = typeof summary === 'string' ? summary.split('\n') : []
  return { kind: 'unknown', reason: reason === '' ? 'unexpected output of npm' : reason }
}

function parseObject(text: string | null): Record<string, unknown> {
  try {
    return Object(JSON.parse(text ?? ''))
  } catch {
    return {}
  }
}
