// All names of variables, and warnings for names that are probably misspelt.
import { closest, distance as editDistance } from 'fastest-levenshtein'
import type { Environment } from './reading.ts'
import type { Section } from './section.ts'
import { escaped } from './shown.ts'

const PREFIX = 'GATEWAY_CAPTIVE_'
/** The prefixes of our names. Other programs use them, too. */
const OURS = /^(GATEWAY|BRAND|ENGINE|PRIVACY_POLICY)_/
/** Names for programs that deploy or administer the portal. If `.env` sets them, the portal receives them, too. */
const OF_THE_DEPLOYMENT: ReadonlySet<string> = new Set([
  'ENGINE_IMAGE',
  'GATEWAY_CAPTIVE_AUP_FOLDER',
  'GATEWAY_ENGINE_FOLDER',
  'GATEWAY_ENGINE_POLICY',
  'GATEWAY_HOME',
  'GATEWAY_INSIDE_SUBNET',
  'GATEWAY_SECRETS',
  'PROXY_FOLDER',
  'PROXY_IMAGE',
  'PROXY_PORT',
])
/** Names without our prefixes that a former release read. */
const REMOVED: ReadonlySet<string> = new Set([
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_HEADERS_FILE',
])
/** A name with one of our prefixes is a misspelt known one if it differs by at most this many edits. */
const MAXIMUM_EDITS = 3

/** The names of all variables, their short names and the names of their files. */
export function variableNames(sections: readonly Section<unknown>[]): readonly string[] {
  return sections.flatMap(({ variables }) =>
    Object.entries(variables).flatMap(([name, { secret, shortName }]) => [
      name,
      ...(secret ? [`${name}_FILE`] : []),
      ...(shortName === undefined ? [] : [shortName]),
    ]),
  )
}

/**
 * One warning for each unknown name in the environment that begins with `GATEWAY_CAPTIVE_`, or is so similar to a known name,
 * with or without its prefix, that it was meant; and for each that a former release read.
 */
export function unknownNames(env: Environment, known: readonly string[]): readonly string[] {
  return Object.keys(env)
    .filter((name) => env[name] !== undefined && !known.includes(name) && !OF_THE_DEPLOYMENT.has(name))
    .flatMap((name) => {
      if (REMOVED.has(name)) return [`${name} is not a known variable: it has no effect`]
      const meant = meantName(name, known)
      return meant === undefined ? [] : [unknownName(name, meant)]
    })
}

/** The same for a program all of whose names begin with `prefix`, and whose environment has those of other programs, too. */
export function unknownNamesWith(prefix: string, env: Environment, known: readonly string[]): readonly string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(prefix) && env[name] !== undefined)
    .filter((name) => !known.includes(name) && !OF_THE_DEPLOYMENT.has(name))
    .map((name) => unknownName(name, closest(name, known)))
}

function unknownName(name: string, meant: string): string {
  return `${escaped(name)} is not a known variable; the nearest known name is ${meant}`
}

function meantName(given: string, known: readonly string[]): string | undefined {
  const name = given.toUpperCase()
  if (!OURS.test(name)) {
    // Single words, such as HOSTNAME, are other programs' names.
    return name.includes('_') ? known.find((candidate) => editDistance(name, withoutPrefix(candidate)) <= 1) : undefined
  }
  const distances = known.map((candidate) => dissimilarity(name, candidate))
  const least = Math.min(...distances)
  return name.startsWith(PREFIX) || least <= MAXIMUM_EDITS ? known[distances.indexOf(least)] : undefined
}

function dissimilarity(name: string, candidate: string): number {
  const [bare, bareCandidate] = [withoutPrefix(name), withoutPrefix(candidate)]
  return Math.min(
    editDistance(name, candidate),
    editDistance(bare, bareCandidate) + 1,
    missingWords(bare, bareCandidate, name.startsWith(PREFIX) ? 1 : 2) + 1,
  )
}

function withoutPrefix(name: string): string {
  return name.replace(/^GATEWAY_(CAPTIVE_)?/, '')
}

/**
 * How many words the name lacks, plus its edits, if each of its words is one of the candidate's with at most one edit per
 * four characters: `ENGINE_TOKEN` for `ENGINE_API_TOKEN`.
 * @param least words that the name must have
 */
function missingWords(name: string, candidate: string, least: number): number {
  const [words, others] = [name.split('_'), candidate.split('_')]
  if (words.length < least || words.length > others.length) return Number.POSITIVE_INFINITY
  let edits = 0
  for (const word of words) {
    const nearest = Math.min(...others.map((other) => editDistance(word, other)))
    if (nearest > word.length / 4) return Number.POSITIVE_INFINITY
    edits += nearest
  }
  return edits + others.length - words.length
}
