// A check: a program that needs root, a container engine or several minutes, run by `npm run check -- NAME`.

export interface Check {
  readonly name: string
  /** One sentence: what the check does, and the required result. */
  readonly about: string
  /** Beyond Node and the npm packages. */
  readonly needs: string
  /** How long it takes. */
  readonly seconds: number
  /** The program's file, and its fixed arguments. */
  readonly program: readonly [file: string, ...args: string[]]
  /** The short form that `.ci/run` uses, if there is one. */
  readonly short?: { readonly args: readonly string[]; readonly seconds: number }
  /** Whether a release requires it. */
  readonly isRequired: boolean
}

/** The exit status of a check that this machine cannot run. */
export const EXIT_CANNOT_RUN = 77
