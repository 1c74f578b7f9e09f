// What a program that reads `.env` may have left in a value, because it has other rules than the one that wrote it: a comment,
// quotes, or a name that only compose replaces. docs/install.md has what all of them read alike.
import type { Environment } from './reading.ts'

const REMAINS: readonly (readonly [RegExp, string])[] = [
  [/[ \t]#[ \t]/, 'contains a comment: systemd reads none after a value; put it on its own line'],
  [/^(["']).*\1$/s, 'is in quotes, which the program that started this one took for a part of it: remove them'],
  [/\$\{\w/, 'contains a name in braces, which only compose replaces: write the value itself'],
]

/** One warning for each of these variables, without its value. */
export function envFileRemains(env: Environment, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const value = env[name]?.trim() ?? ''
    return REMAINS.filter(([pattern]) => pattern.test(value)).map(([, says]) => `the value of ${name} ${says}`)
  })
}
