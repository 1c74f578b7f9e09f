// `proxy handshakes`: hosts at which clients do not accept the proxy's certificate, and what to exempt.
import { join } from 'node:path'
import type { Command } from 'commander'
import { z } from 'zod'
import { isAddress, parseHost } from '../../network/host.ts'
import type { Domain } from '../../published/published.ts'
import { readFault, readRegularFileStart } from '../../settings/file.ts'
import { loadSection } from '../../settings/load-section.ts'
import { proxy as proxySection } from '../../settings/sections/proxy.ts'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { portalVariables } from '../deployment/portal-variables.ts'
import { counted } from '../engine/load-result.ts'
import { Failure } from '../failure.ts'
import { printableJson } from '../terminal/printable.ts'
import { table } from '../terminal/table.ts'
import { readPublishedHere } from './published.ts'

/** Fewer could be one person's devices, or one person who wants a host exempt. */
const SEVERAL = 3
/** The proxy writes the file once a minute at least. */
const CURRENT_MS = 150_000
const MAXIMUM_BYTES = 1024 * 1024
const COLUMNS = ['host', 'broke_off', 'silent', 'trusting', 'used', 'exempt', 'last_at'] as const

const count = z.int().min(0)
const time = z.iso.datetime()
/** As in the proxy's HandshakeReport. Other users than root may be able to write the file. */
const reportShape = z.object({
  since: time,
  at: time,
  untrusting: count,
  hosts: z.array(
    z.object({
      // Lines to paste: a name in canonical form has no character with a meaning in TOML.
      host: z.string().refine((text) => parseHost(text) === text && !isAddress(text)),
      broke_off: count,
      silent: count,
      trusting: count,
      used: z.boolean(),
      last_at: time,
    }),
  ),
})
type Host = z.output<typeof reportShape>['hosts'][number]

export function handshakesCommand(context: Context): Command {
  return createCommand(context, 'handshakes', {
    purpose: "Lists hosts at which clients do not accept the proxy's certificate.",
    details: `
Apps that accept only their own certificate break off the handshake (broke_off),
or send nothing after it (silent). A client counts as trusting if it sends
requests to other hosts. Where at least ${SEVERAL} trusting clients fail, and no client
has sent a request (used), the host is proposed for [inspection] exempt; nothing
is changed. Clients can fake all of this: check what the host is. The proxy
counts in memory, for a day. Run it on the proxy's machine as root.

PROXY_RUN and PROXY_PUBLISHED name the proxy's folders. Variables that the
environment does not set are read from the files proxy.env and .env in
GATEWAY_HOME, by default /etc/gateway.`,
    examples: ['gatewayctl proxy handshakes', 'gatewayctl proxy handshakes --file handshakes.json --json'],
  })
    .option('--file <file>', "a copy of the proxy's handshakes.json, from another machine or a container")
    .option('--json', 'print JSON')
    .action(({ file, json }: { readonly file?: string; readonly json?: true }) => {
      const { run, published } = loadSection(proxySection, portalVariables(context.env, 'proxy')).part.proxy
      const report = readReport(file ?? join(run, 'handshakes.json'))
      const { exemptHosts } = readPublishedHere(published)
      const hosts = report.hosts.map((host) => {
        const exempt = 'reason' in exemptHosts ? undefined : exemptHosts.some((domain) => covers(domain, host))
        return { ...host, exempt, proposed: isProposed(host) && !exempt }
      })
      if (json) {
        context.stdout.write(`${printableJson({ ...report, hosts }, 2)}\n`)
        return
      }
      const rows = hosts.map(({ used, exempt, ...host }) => ({
        ...host,
        used: used ? 'yes' : 'no',
        exempt: exempt === undefined ? undefined : exempt ? 'yes' : 'no',
      }))
      const proposed = hosts.filter((host) => host.proposed).map(({ host }) => host)
      const unknown =
        'reason' in exemptHosts ? [`What is already exempt is not known here: ${exemptHosts.reason}.`] : []
      const paragraphs = [
        rows.length === 0
          ? `No client has given up a handshake since ${report.since}.`
          : table(context, COLUMNS, rows).trimEnd(),
        ...staleness(report, context.clock()),
        ...(report.untrusting === 0 ? [] : [untrusting(report.untrusting)]),
        ...(proposed.length === 0 ? [] : [...unknown, proposal(proposed)]),
      ]
      context.stdout.write(`${paragraphs.join('\n\n')}\n`)
    })
}

function isProposed({ trusting, used }: Host): boolean {
  return trusting >= SEVERAL && !used
}

function covers({ host, below }: Domain, { host: name }: Host): boolean {
  return name === host || (below && name.endsWith(`.${host}`))
}

/** @throws {Failure} */
function readReport(path: string): z.output<typeof reportShape> {
  let text: string
  try {
    text = `${Buffer.from(readRegularFileStart(path, MAXIMUM_BYTES))}`
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Failure(
      code === 'ENOENT'
        ? `there is no file ${path}: run this on the machine of a proxy that has started (PROXY_RUN names its folder), or copy its file and name it with --file`
        : `${path} cannot be read (${readFault(error)}): run this as root, or as the proxy's user`,
    )
  }
  try {
    return reportShape.parse(JSON.parse(text))
  } catch {
    throw new Failure(`${path} is not what a proxy of this version writes`)
  }
}

function staleness({ at }: z.output<typeof reportShape>, now: number): readonly string[] {
  return now - Date.parse(at) < CURRENT_MS ? [] : [`This is from ${at}: the proxy does not run, or this is a copy.`]
}

function untrusting(clients: number): string {
  return `${counted(clients, 'client')} broke off handshakes and sent no request to any host. They are not counted as trusting: is the CA installed on them (gatewayctl portal ca)?`
}

function proposal(hosts: readonly string[]): string {
  return `At ${hosts.length === 1 ? 'this host' : 'these hosts'} several clients fail and none succeeds. If you know the host and trust it, add it in the policy, as a
further entry of exempt, and allow it by a rule; nothing in it is decrypted then:

[inspection]
exempt = [
${hosts.map((host) => `  "${host}",\n`).join('')}]`
}
