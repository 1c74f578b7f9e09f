// How Squid is configured to handle failures: of the engine, and of an origin's certificate. Neither can be provoked
// from outside while the gateway is in use.
import { globSync } from 'node:fs'
import type { Unknown } from '../unknown.ts'
import { readText } from './published.ts'

interface Directive {
  readonly name: string
  readonly words: readonly string[]
}

/** Every directive in its order, those of included files too. */
export type Configuration = readonly Directive[] | Unknown

/** As deep as Squid goes. */
const MAXIMUM_DEPTH = 16

export function readConfiguration(path: string, depth = 0): Configuration {
  const file = depth > MAXIMUM_DEPTH ? { reason: `${path} is included too deeply` } : readText(path)
  if ('reason' in file) return file
  const all: Directive[] = []
  for (const directive of parse(file.text)) {
    if (directive.name !== 'include') {
      all.push(directive)
      continue
    }
    for (const included of directive.words.flatMap((pattern) => globSync(pattern).sort())) {
      const found = readConfiguration(included, depth + 1)
      if ('reason' in found) return found
      all.push(...found)
    }
  }
  return all
}

/** Why requests might go through undecided when the engine fails; empty if nothing does. */
export function bypassFaults(directives: readonly Directive[]): readonly string[] {
  const services = directives.filter(({ name }) => name === 'icap_service')
  const isOn = directives.findLast(({ name }) => name === 'icap_enable')?.words[0] === 'on'
  const isAsked = services.some(({ words }) => words.includes('reqmod_precache'))
  return [
    ...(isOn ? [] : ['icap_enable is not on']),
    ...(isAsked ? [] : ['no icap_service with reqmod_precache']),
    // Before the options had names, the third word was the bypass.
    ...services
      .filter(({ words }) => words.some((word) => /^bypass=(on|1|true)$/i.test(word)) || words[2] === '1')
      .map(({ words }) => `icap_service ${words[0]} has bypass=on instead of bypass=off`),
  ]
}

/** Why an origin with an invalid certificate might be accepted; empty if nothing does. */
export function verificationFaults(directives: readonly Directive[]): readonly string[] {
  const lines = directives.map(({ name, words }) => [name, ...words].join(' '))
  const errors = lines.filter((line) => line.startsWith('sslproxy_cert_error '))
  // The first line that matches decides.
  const end = errors.indexOf('sslproxy_cert_error deny all')
  return [
    ...errors.slice(0, end < 0 ? errors.length : end).filter((line) => line.startsWith('sslproxy_cert_error allow ')),
    ...lines.filter((line) => /^(tls_outgoing_options|sslproxy_flags) .*DONT_VERIFY_(PEER|DOMAIN)/.test(line)),
  ]
}

/** Without comments; a line that ends in a backslash continues. */
function parse(text: string): readonly Directive[] {
  return text
    .replace(/\\\r?\n/g, ' ')
    .split(/\r?\n/)
    .flatMap((line) => {
      const [name, ...words] = line
        .replace(/(^|\s)#.*$/, '')
        .trim()
        .split(/\s+/)
      return name ? [{ name, words: words.map((word) => word.replace(/^"(.*)"$/, '$1')) }] : []
    })
}
