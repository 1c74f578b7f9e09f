// Devices whose traffic the network redirects to the proxy, in a network namespace: with the rules and settings of
// docs/proxy-clients.md as they stand there.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import type { Cleanup } from '../support/cleanup.ts'

const DOCUMENT = readFileSync(new URL('../../docs/proxy-clients.md', import.meta.url), 'utf8')

/** PROXY_TRANSPARENT_HTTP and PROXY_TRANSPARENT_HTTPS. */
export const TRANSPARENT_PORTS: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from(DOCUMENT.matchAll(/^(PROXY_TRANSPARENT_\w+)=(\d+)$/gm), ([, name, port]) => [String(name), String(port)]),
)

/** The network of the devices: the gateway's addresses in it, and the device's; IPv4 and IPv6. */
export const INSIDE = {
  link: 'inside',
  machine: ['10.77.0.1', 'fd00:77::1'],
  client: ['10.77.0.2', 'fd00:77::2'],
} as const

export interface Devices {
  /** Its name, for `ip netns`. */
  readonly namespace: string
  /** Runs commands of nft on the gateway. */
  nft(rules: string): void
}

/** Requires root, ip and nft, and in a test file `continueInNetworkNamespace`. @param portal its addresses are not redirected */
export function redirectDevices(t: Cleanup, portal: { readonly address: string; readonly address6: string }): Devices {
  const ip = (...words: readonly string[]) => execFileSync('ip', words, { timeout: 10_000, stdio: 'pipe' })
  const nft = (rules: string) => void execFileSync('nft', ['-f', '-'], { input: rules, timeout: 10_000 })
  const namespace = `client${process.pid}`
  ip('netns', 'add', namespace)
  t.after(async () => ip('netns', 'delete', namespace))
  ip('link', 'add', INSIDE.link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace)
  for (const [index, prefix] of [24, 64].entries()) {
    const nodad = index === 1 ? ['nodad'] : []
    ip('address', 'add', `${INSIDE.machine[index]}/${prefix}`, 'dev', INSIDE.link, ...nodad)
    ip('-n', namespace, 'address', 'add', `${INSIDE.client[index]}/${prefix}`, 'dev', 'eth0', ...nodad)
  }
  ip('link', 'set', INSIDE.link, 'up')
  ip('-n', namespace, 'link', 'set', 'eth0', 'up')
  for (const address of INSIDE.machine) ip('-n', namespace, 'route', 'add', 'default', 'via', address)
  for (const [, name, value] of block('ini').matchAll(/^([a-z0-9._]+) = (\d)$/gm)) {
    writeFileSync(`/proc/sys/${String(name).replaceAll('.', '/')}`, String(value))
  }
  nft(
    block('nft')
      .replace('"eth1"', `"${INSIDE.link}"`)
      .replace('192.0.2.10', portal.address)
      .replace('2001:db8::10', portal.address6),
  )
  return { namespace, nft }
}

function block(language: string): string {
  return (
    new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(DOCUMENT)?.[1] ?? assert.fail(`no block of ${language}`)
  )
}
