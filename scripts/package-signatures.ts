// Verifies the registry's signatures of the installed packages with `npm audit signatures`. A registry without keys,
// such as a mirror, cannot verify them: that is reported and is not a failure.
import { spawnSync } from 'node:child_process'

export type Signatures =
  | { readonly kind: 'verified' }
  /** Packages as `name@version`. */
  | { readonly kind: 'wrong'; readonly packages: readonly string[] }
  | { readonly kind: 'unknown'; readonly reason: string }

const PATIENCE_MS = 180_000
// Without a network, npm's retries would take minutes.
const FEW_RETRIES = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-timeout=20000']

/** @param root the folder of package.json */
export function checkSignatures(root: string): Signatures {
  const { stdout, error: failure } = spawnSync('npm', ['audit', 'signatures', '--json', ...FEW_RETRIES], {
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
