// Waits until what was started responds, and has each part checked as its own `status` or `doctor` does.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigProblems } from '../../settings/problems.ts'
import type { Context } from '../context.ts'
import { run } from '../deployment/run-program.ts'
import type { Finding } from '../doctor/finding.ts'
import { engineFindings } from '../engine/status.ts'
import { Failure } from '../failure.ts'
import { portalFindings } from '../portal/status.ts'
import { proxyFindings } from '../proxy/status.ts'
import { startProgress } from '../terminal/progress.ts'
import type { Machine, Systemd } from './machine.ts'
import { terminatorFindings } from './terminator.ts'
import { isTimer } from './units.ts'

const INTERVAL_MS = 2_000
const CHECK_SECONDS = 120
/** Of the Debian package. */
const PROGRAM = 'usr/sbin/gateway-engine'

type Check = (context: Context) => Promise<readonly Finding[]>

const CHECKS: readonly (readonly [unit: string, name: string, check: Check])[] = [
  ['gateway-engine.service', 'engine', async (context) => (await engineFindings(context, {})).findings],
  ['gateway-portal.service', 'portal', portalFindings],
  ['gateway-terminator.service', 'terminator', terminatorFindings],
  ['gateway-proxy.service', 'proxy', (context) => proxyFindings(context, {})],
]

/**
 * The findings of what was started, once nothing fails, or after this time.
 * @param units that were started
 */
export async function runningFindings(
  context: Context,
  systemd: Systemd,
  units: readonly string[],
  milliseconds: number,
): Promise<readonly Finding[]> {
  const progress = startProgress(context.stderr)
  try {
    for (const until = performance.now() + milliseconds; ; await sleep(INTERVAL_MS)) {
      const checks = CHECKS.filter(([unit]) => units.includes(unit))
      const found = await Promise.all([
        serviceFindings(systemd, units),
        ...checks.map(([, name, check]) => named(context, name, check)),
      ])
      const findings = found.flat()
      const failing = findings.filter(({ state }) => state === 'failing')
      if (failing.length === 0 || performance.now() > until) return findings
      progress.show(`Waiting for ${[...new Set(failing.map(({ check }) => check))].join(', ')} …`)
    }
  } finally {
    progress.clear()
  }
}

/** A service that no other check asks may have ended, such as one whose port another program has. */
async function serviceFindings(systemd: Systemd, units: readonly string[]): Promise<readonly Finding[]> {
  const services = units.filter((unit) => !isTimer(unit))
  if (services.length === 0) return []
  const running = await systemd.running(...services)
  const others = services.filter((unit) => !running.includes(unit))
  if (others.length === 0) return [{ check: 'services', state: 'ok', detail: services.join(', ') }]
  return others.map((unit) => ({
    ...{ check: 'service', state: 'failing', detail: `${unit} is not active` },
    advice: `journalctl -u ${unit.replace(/\.service$/, '')}`,
  }))
}

async function named(context: Context, name: string, check: Check): Promise<readonly Finding[]> {
  try {
    return (await check(context)).map((finding) => ({ ...finding, check: labelled(name, finding.check) }))
  } catch (error) {
    if (!(error instanceof Failure || error instanceof ConfigProblems)) throw error
    return [{ check: name, state: 'failing', detail: error.message, advice: `journalctl -u gateway-${name}` }]
  }
}

const labelled = (name: string, check: string) => (check === name ? name : `${name} ${check}`)

/** What `gateway-engine --check` says about policy, lists and settings; none without the package. */
export async function policyFindings({ env }: Context, { root }: Machine): Promise<readonly Finding[]> {
  const program = join(root, PROGRAM)
  if (!existsSync(program)) return []
  const { status, stdout, stderr } = await run([program, '--check'], { cwd: '/', env, seconds: CHECK_SECONDS })
  const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => line.trim() !== '')
  const tried = 'gateway-engine --check'
  if (status === 0) {
    const detail = lines.find((line) => line.includes('no problems')) ?? 'no problems'
    return [{ check: 'policy', state: 'ok', tried, detail }]
  }
  const advice =
    'correct what it names; for lists that cannot be read: systemctl start gateway-lists && systemctl restart gateway-engine'
  const detail = `${tried} finds problems`
  return [{ check: 'policy', state: 'failing', tried, detail, advice, log_lines: lines.slice(-10) }]
}
