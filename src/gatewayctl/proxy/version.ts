// Squid's version. The shipped configuration hides it from clients: it is that of the program on this machine.
import { dirname } from 'node:path'
import type { Environment } from '../../settings/reading.ts'
import { run } from '../deployment/run-program.ts'
import { type Finding, ok, skipped } from '../doctor/finding.ts'
import type { Gateway } from './gateway.ts'

export async function checkVersion(
  { configuration, configurationPath }: Gateway,
  { PATH = '' }: Environment,
): Promise<Finding> {
  const tried = 'squid -v, where the proxy runs'
  if ('reason' in configuration) {
    return skipped('version', tried, `not reported to clients; ${configuration.reason}`)
  }
  const env = { PATH: `${PATH}:/usr/sbin:/usr/local/sbin` }
  const { stdout } = await run(['squid', '-v'], { cwd: dirname(configurationPath), env, seconds: 10 })
  const [, version] = /Version (\S+)/.exec(stdout) ?? []
  return version === undefined
    ? skipped('version', tried, 'Squid is not installed here')
    : ok('version', tried, `Squid ${version}`)
}
