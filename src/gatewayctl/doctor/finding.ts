// The result of one check.

export interface Finding {
  /** A short, stable name: `dns`, `tls`. */
  readonly check: string
  readonly result: 'good' | 'bad' | 'skipped'
  readonly tried: string
  readonly seen: string
  /** What to do about a bad result. */
  readonly advice?: string
}

export function bad(check: string, tried: string, seen: string, advice: string): Finding {
  return { check, result: 'bad', tried, seen, advice }
}

export function good(check: string, tried: string, seen: string): Finding {
  return { check, result: 'good', tried, seen }
}

export function skipped(check: string, tried: string, seen: string): Finding {
  return { check, result: 'skipped', tried, seen }
}

/** Bad if there are faults, which are then reported as seen. */
export function verdictOn(
  check: string,
  tried: string,
  faults: readonly string[],
  { seen, advice }: { readonly seen: string; readonly advice: string },
): Finding {
  return faults.length === 0 ? good(check, tried, seen) : bad(check, tried, faults.join('; '), advice)
}
