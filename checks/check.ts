// What a check is: a program that needs root, a container engine or minutes, run by `npm run check -- NAME`.

export interface Check {
  readonly name: string
  /** One sentence: what is done, and what must result. */
  readonly about: string
  /** Beyond Node and the npm packages. */
  readonly needs: string
  /** How long it takes. */
  readonly seconds: number
  /** The file, and the arguments it always gets. */
  readonly program: readonly [file: string, ...args: string[]]
  /** The form that `.ci/run` uses, where there is one. */
  readonly short?: { readonly args: readonly string[]; readonly seconds: number }
  /** Whether a release requires it. */
  readonly isRequired: boolean
}

/** The exit status of a check that this machine cannot run. */
export const EXIT_CANNOT_RUN = 77
