// What the doctor says of one thing that it looked at.

export interface Finding {
  /** A short name, the same in every run: `dns`, `tls`. */
  readonly check: string
  readonly result: 'good' | 'bad' | 'skipped'
  readonly tried: string
  readonly seen: string
  /** What to do; for a bad one. */
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

/** Bad when there are faults, which are then what was seen. */
export function verdictOn(
  check: string,
  tried: string,
  faults: readonly string[],
  { seen, advice }: { readonly seen: string; readonly advice: string },
): Finding {
  return faults.length === 0 ? good(check, tried, seen) : bad(check, tried, faults.join('; '), advice)
}
