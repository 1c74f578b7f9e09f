// Shapes of values that several sections share. A shape's description is its rule, worded to follow "must be".
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import * as z from 'zod'
import { parseSecrets } from '../contract/secret.ts'

/**
 * A shape whose text `parse` turns into a value, or into undefined if it breaks the rule.
 * @param advise words the rule for a text that breaks it, with what to write instead
 */
export function parsed<T>(
  rule: string,
  parse: (text: string) => T | undefined,
  advise: (text: string) => string | undefined = () => undefined,
) {
  return z
    .string({ error: (issue) => (issue.input === undefined ? undefined : rule) })
    .transform((text, context) => {
      const value = parse(text)
      if (value !== undefined) return value
      context.addIssue(advise(text) ?? rule)
      return z.NEVER
    })
    .describe(rule)
}

/**
 * For a refinement of a table: it also checks one that has other problems, whose values may be of any type. Otherwise it
 * would report its problem only when those are solved.
 */
export const evenWithProblems = {
  when: ({ value }: { readonly value: unknown }) =>
    typeof value === 'object' && value !== null && !Array.isArray(value),
}

const ISSUES_OF_KIND = 'has issues of its kind'

/** A value of one of several kinds, such as a table or a list. @param rule for one of another kind */
export function kinds<const Kinds extends readonly [z.ZodType, ...z.ZodType[]]>(shapes: Kinds, rule: string) {
  return z.union(shapes, {
    error: (issue) => (issue.code === 'invalid_union' && kindOf(issue.errors) ? ISSUES_OF_KIND : rule),
  })
}

/** The issues that a value of `kinds` has as one of its own kind; any other issue as it is. */
export function issuesOfKind(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.message !== ISSUES_OF_KIND) return [issue]
  const issues = kindOf(issue.errors) ?? []
  return issues.flatMap((one) => issuesOfKind({ ...one, path: [...issue.path, ...one.path] }))
}

function kindOf(errors: readonly (readonly z.core.$ZodIssue[])[]) {
  return errors.find((of) => !of.some(({ code, path }) => code === 'invalid_type' && path.length === 0))
}

/** A whole number in decimal digits, without a sign or leading zeros. */
export function wholeNumber(least: number, most: number) {
  return z
    .string()
    .regex(/^(0|[1-9][0-9]{0,8})$/)
    .transform(Number)
    .pipe(z.number().min(least).max(most))
    .describe(`a whole number from ${least} to ${most}`)
}

/** The same in a file whose format has numbers. */
export function integer(least: number, most: number) {
  const rule = `a whole number from ${least} to ${most}`
  return z
    .int({ error: ({ input }) => (input === undefined ? undefined : rule) })
    .min(least, rule)
    .max(most, rule)
}

/** One of these values, spelt exactly like this. */
export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values).describe(listed(values))
}

export const trueOrFalse = oneOf(['true', 'false'])
  .transform((word) => word === 'true')
  .describe('true or false')

/** One line of text for the pages, which mark the visitor's texts with noncharacters. */
export function line(most = 200) {
  return parsed(`one line of at most ${most} characters`, (text) =>
    [...text].length <= most && !/[\p{Cc}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/u.test(text) ? text : undefined,
  )
}

/** Text whose length the protocol limits in bytes of UTF-8. */
export function text(least: number, most: number) {
  return parsed(`text of ${least} to ${most} bytes without control characters`, (value) => {
    const bytes = Buffer.byteLength(value)
    return bytes >= least && bytes <= most && !/[\p{Cc}\p{Cs}]/u.test(value) ? value : undefined
  })
}

/** A token that is valid in a header. */
export function visibleAscii(least: number, most: number) {
  return parsed(`${least} to ${most} visible ASCII characters`, (value) =>
    value.length >= least && value.length <= most && /^[!-~]*$/.test(value) ? value : undefined,
  )
}

/** As written. */
export const relativePath = parsed('the path of a file', (text) => (text.includes('\0') ? undefined : text))

/** A path as an absolute one; a relative one is resolved against the working folder. */
export const path = relativePath.transform((text) => resolve(text)).describe(`${relativePath.description}`)

const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
// A URL parser reads a name whose last label is a number as an address.
const HOST_NAME = new RegExp(`^(?=.{1,253}$)(?!(?:.*\\.)?[0-9]+$)${LABEL}(?:\\.${LABEL})*$`, 'i')

/** A host name or an address without brackets, in lower case. */
export const host = parsed('a host name in ASCII or an IP address', (text) =>
  isIP(text) !== 0 || HOST_NAME.test(text) ? text.toLowerCase() : undefined,
)

/** An http or https URL without a path, query or fragment. */
export const origin = parsed('an http or https URL of scheme, host and port alone', (text) =>
  /^https?:\/\/[^/\\?#@\s]+\/?$/i.test(text) ? (URL.parse(text) ?? undefined) : undefined,
)

/** A URL for a link on the pages, normalised. */
export function link(schemes: readonly string[]) {
  return parsed(`a link (${listed(schemes)}) of at most 500 characters, without a password`, (text) => {
    const url = /[\s\p{C}]/u.test(text) || text.length > 500 ? null : URL.parse(text)
    if (url === null || url.username !== '' || url.password !== '') return undefined
    const named = url.host === '' ? url.pathname !== '' : /^https?:\/\/[^/\\]/i.test(text)
    return named && schemes.includes(url.protocol.slice(0, -1)) ? url.href : undefined
  })
}

/** One or two secrets; the first seals or signs. */
export const secrets = z
  .string()
  .transform((text, context) => {
    try {
      return parseSecrets(text)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      context.addIssue(error.message)
      return z.NEVER
    }
  })
  .describe('one or two secrets of 32 or more characters, separated by white space')

/** Whether a URL's host is this machine. */
export function isLoopback({ hostname }: Pick<URL, 'hostname'>): boolean {
  return /^(localhost|.+\.localhost|127\.[0-9.]+|\[::1\])$/.test(hostname)
}

function listed(values: readonly string[]): string {
  // Intl would take 18 ms to load.
  const [last, ...others] = values.toReversed()
  if (others.length < 2) return values.join(' or ')
  return `${others.reverse().join(', ')}, or ${last}`
}
