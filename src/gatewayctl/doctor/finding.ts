// The result of one check of a status or a doctor.

export interface Finding {
  /** A short, stable name: `dns`, `tls`. */
  readonly check: string
  /** Only `failing` sets the exit code. `off`: disabled on purpose; `skipped`: cannot be determined here. */
  readonly state: 'ok' | 'warning' | 'failing' | 'off' | 'skipped'
  readonly detail: string
  readonly tried?: string
  /** What to do if it fails. */
  readonly advice?: string
  /** What a program that failed logged last. */
  readonly log_lines?: readonly string[]
}

export function failing(check: string, tried: string, detail: string, advice: string): Finding {
  return { check, state: 'failing', tried, detail, advice }
}

export function ok(check: string, tried: string, detail: string): Finding {
  return { check, state: 'ok', tried, detail }
}

export function skipped(check: string, tried: string, detail: string): Finding {
  return { check, state: 'skipped', tried, detail }
}

/** Failing if there are faults, which are then its detail. */
export function verdictOn(
  check: string,
  tried: string,
  faults: readonly string[],
  { detail, advice }: { readonly detail: string; readonly advice: string },
): Finding {
  return faults.length === 0 ? ok(check, tried, detail) : failing(check, tried, faults.join('; '), advice)
}
