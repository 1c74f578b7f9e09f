// The section [icap]: the listener for proxies. Without the section, and without its options, there is none.
import { dirname, resolve } from 'node:path'
import { createSecureContext } from 'node:tls'
import * as z from 'zod'
import type { AddressRange } from '../../network/address-range.ts'
import { parseHostAndPort } from '../../network/host-and-port.ts'
import { evenWithProblems, parsed, text } from '../../settings/shapes.ts'
import type { UsernameEncoding } from '../icap/requester.ts'
import { clients } from '../policy/value-shapes.ts'
import { readToken, type TokenSource } from './token-file.ts'

export interface IcapSettings {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  /** Addresses that may connect; undefined for all. */
  readonly clients: readonly AddressRange[] | undefined
  readonly token: string
  /** PEM, or the control API's certificate and key; undefined for plain TCP. */
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | 'control' | undefined
  readonly connect: 'decide' | 'allow'
  readonly username: UsernameEncoding
}

const file = text(1, 4096)

export const icap = z
  .strictObject({
    listen: parsed('HOST:PORT', (value) => parseHostAndPort(value, 0)).prefault('127.0.0.1:1344'),
    clients: clients.optional(),
    token_file: file,
    tls: z
      .union(
        [z.literal('control'), z.strictObject({ cert: file, key: file })],
        'must be "control", or { cert = "FILE", key = "FILE" }',
      )
      .optional(),
    connect: z.enum(['decide', 'allow'], 'must be "decide" or "allow"').default('decide'),
    username: z.enum(['plain', 'base64'], 'must be "plain" or "base64"').default('plain'),
  })
  .refine(({ listen, tls }) => tls !== undefined || isLoopback(listen?.host ?? 'localhost'), {
    ...evenWithProblems,
    path: ['listen'],
    error: 'must be a loopback address unless icap.tls is set: ICAP carries decrypted requests',
  })
  .optional()

/** Reads the files that the section names. Problems are recorded in the reading: the settings are only valid without any. */
export function toIcapSettings(section: NonNullable<z.output<typeof icap>>, source: TokenSource): IcapSettings {
  const { path, readFile, reading } = source
  const { listen, token_file, tls, ...others } = section
  const absolute = (name: string) => resolve(dirname(path), name)

  function readPem(key: 'cert' | 'key', name: string): Buffer | undefined {
    try {
      return Buffer.from(readFile(absolute(name)))
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      reading.problem(['icap', 'tls', key], `must name a file that can be read (${code ?? message})`)
      return undefined
    }
  }

  function readPair(names: Exclude<typeof tls, 'control' | undefined>): IcapSettings['tls'] {
    const cert = readPem('cert', names.cert)
    const key = readPem('key', names.key)
    if (cert === undefined || key === undefined) return undefined
    try {
      createSecureContext({ cert, key })
    } catch {
      reading.problem(['icap', 'tls', 'cert'], 'must name a certificate in PEM, and icap.tls.key its private key')
    }
    return { cert, key }
  }

  const pair = typeof tls === 'object' ? readPair(tls) : tls
  return { ...listen, ...others, clients: others.clients, token: readToken('icap', token_file, source), tls: pair }
}

/** Both families, and the name that every system resolves to them. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}
