// A portal that systemd runs as a service, without containers.
import { readFileSync } from 'node:fs'
import type { Environment } from '../../settings/reading.ts'
import type { Installation } from './installation.ts'
import { parseProbeResult, probeArguments } from './probe.ts'
import type { Commands, Instance, PortalRuntime } from './runtime.ts'

const RESTART_SECONDS = 90
const PROPERTIES = [
  'ActiveState',
  'SubState',
  'ExecMainStatus',
  'MainPID',
  'NRestarts',
  'ExecMainStartTimestampMonotonic',
]

export function systemdRuntime(commands: Commands, installation: Installation, unit: string): PortalRuntime {
  return {
    name: 'systemd',
    async instances() {
      const printed = await commands.output(['systemctl', 'show', unit, `--property=${PROPERTIES.join(',')}`])
      const shown = Object.fromEntries(printed.split('\n').map((line) => line.split(/=(.*)/s, 2) as [string, string]))
      return [instance(commands, installation, unit, shown)]
    },
    // reset-failed: also for a unit that systemd no longer tries to start.
    async recreate() {
      await commands.run(['systemctl', 'reset-failed', unit])
      await commands.change(['systemctl', 'restart', unit], RESTART_SECONDS)
    },
  }
}

function instance(
  { output, run }: Commands,
  installation: Installation,
  unit: string,
  shown: Readonly<Record<string, string | undefined>>,
): Instance {
  const isRunning = shown.ActiveState === 'active' && shown.SubState === 'running'
  return {
    name: unit,
    running: isRunning,
    status: `${shown.ActiveState} (${shown.SubState})`,
    health: undefined,
    exitCode: isRunning ? undefined : Number(shown.ExecMainStatus),
    restarts: Number(shown.NRestarts ?? 0),
    startedAt: `${shown.ExecMainStartTimestampMonotonic}`,
    image: undefined,
    variables: environmentOf(shown.MainPID) ?? installation.variables(),
    async lastLogLines(count) {
      const { stdout } = await run(['journalctl', '--unit', unit, '--lines', `${count}`, '--output=cat', '--no-pager'])
      return stdout.split('\n').filter((line) => line.trim() !== '')
    },
    probe: async (request) => parseProbeResult(await output([process.execPath, ...probeArguments(request)])),
  }
}

/** The environment the process was started with; undefined without permission to read it. */
function environmentOf(pid: string | undefined): Environment | undefined {
  if (pid === undefined || pid === '0') return undefined
  try {
    const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean)
    return Object.fromEntries(entries.map((entry) => entry.split(/=(.*)/s, 2) as [string, string]))
  } catch {
    return undefined
  }
}
