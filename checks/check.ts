// A check: what takes minutes, root or a whole machine; `npm run check -- NAME` runs it.

/** When a check runs; a tier includes the ones before it. */
export const TIERS = ['commit', 'nightly', 'release'] as const

export type Tier = (typeof TIERS)[number]

export type Check = Work & {
  readonly name: string
  /** One sentence: what the check does, and the required result. */
  readonly about: string
  /** Beyond Node and the npm packages. `root`, `Linux` and `Linux on x64` are checked before it runs. */
  readonly needs?: string
  /** The first tier that runs it; without one, it runs only by its name. */
  readonly tier?: Tier
  /** What the commit tier runs instead. */
  readonly short?: Work
}

export type Work = (Program | Tests) & {
  /** How long it takes. */
  readonly seconds: number
}

/** Exits with 0, 1, or 77 when this machine cannot run it. */
export interface Program {
  readonly program: readonly [file: string, ...args: string[]]
  /** Whether it accepts further options, which it prints for `--help`. */
  readonly hasOptions?: boolean
}

/** Test files; skipped tests fail. */
export interface Tests {
  readonly tests: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** Whether its files run one after the other, and not two at once. */
  readonly isSerial?: boolean
  /** Runs them with the Squid of each of these Debian releases, in place of this machine's. */
  readonly squidOf?: readonly string[]
}

/** The exit status of a check that this machine cannot run. */
export const EXIT_CANNOT_RUN = 77
