// Checks that the portal's name, base URL and published ports agree, and that the name resolves.
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { type Finding, failing, ok, skipped, verdictOn } from '../../doctor/finding.ts'
import type { Deployment } from './deployment.ts'

export function checkAddress({ address, warnings }: Deployment): Finding {
  return verdictOn('address', 'GATEWAY_CAPTIVE_BASE_URL, _HOSTNAME, _HTTP_PORT and _HTTPS_PORT', warnings, {
    detail: `${address.baseUrl} is what the terminator publishes`,
    advice:
      'make these variables agree with each other, with the terminator’s ports, and with base_url in the engine’s configuration',
  })
}

export async function checkDns({ address }: Deployment): Promise<Finding> {
  const { hostname } = address
  const tried = `looked up ${hostname}`
  if (isIP(hostname) !== 0) return skipped('dns', tried, 'it is an address already')
  try {
    const found = await lookup(hostname, { all: true })
    return ok('dns', tried, found.map(({ address: each }) => each).join(', '))
  } catch (error) {
    return failing(
      'dns',
      tried,
      `no address (${(error as NodeJS.ErrnoException).code})`,
      'give the name an address in the DNS that visitors use, before they are signed in: it is looked up from a blocked page',
    )
  }
}
