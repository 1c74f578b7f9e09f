// The logs of portal, engine, proxy and terminator on this machine. Their lines cannot be deleted one by one.
import { quoted } from '../../terminal/printable.ts'
import { journaldSettings } from './journald.ts'
import { rotatedDays } from './logrotate.ts'
import type { Machine } from './machine.ts'
import { forDays, type Place } from './place.ts'

export const JOURNALD_LIMIT =
  "mkdir -p /etc/systemd/journald.conf.d; printf '[Journal]\\nMaxRetentionSec=90day\\n' > /etc/systemd/journald.conf.d/gateway.conf; systemctl restart systemd-journald"
const RSYSLOG = '/etc/rsyslog.d/gateway.conf'
const WHAT = 'log of portal and engine'

export function logPlaces(machine: Machine): readonly Place[] {
  return [...programLogs(machine), ...proxyLog(machine), ...terminatorLog(machine)]
}

function programLogs(machine: Machine): readonly Place[] {
  const { variables, runBy } = machine
  if (runBy === undefined) return []
  const isInJournal = runBy === 'systemd' || /journald/.test(variables.COMPOSE_FILE ?? '')
  if (!isInJournal) {
    const set = 'COMPOSE_FILE=compose.yaml:observability/journald.yaml in .env, and MaxRetentionSec in journald.conf'
    return [place(WHAT, "Docker's log files", null, `${set}; Docker keeps 50 MB of each container`)]
  }
  return [journald(machine), ...logFiles(machine)]
}

function journald(machine: Machine): Place {
  const { maxRetention, maxUse, isVolatile } = journaldSettings(machine)
  const where = isVolatile ? "systemd's journal, in memory" : "systemd's journal"
  if (maxRetention !== undefined) return place(WHAT, where, `MaxRetentionSec=${maxRetention}`, 'journald.conf')
  const size = maxUse ?? 'a tenth of the file system, at most 4 GB'
  return place(
    WHAT,
    where,
    isVolatile ? 'until the machine restarts' : null,
    `${JOURNALD_LIMIT} (its size is limited: ${size})`,
  )
}

function logFiles(machine: Machine): readonly Place[] {
  const settings = machine.read(RSYSLOG)
  if (settings === undefined) {
    // Debian's rsyslog writes every message there.
    return machine.read('/etc/rsyslog.conf') === undefined ? [] : [rotated(machine, WHAT, '/var/log/syslog')]
  }
  const active = settings.replace(/^\s*#.*$/gm, '')
  const files = [...active.matchAll(/type="omfile"\s+file="([^"]+)"/g)].map(([, path = '']) =>
    rotated(machine, WHAT, path),
  )
  const [, target] = /type="omfwd"\s+target="([^"]+)"/.exec(active) ?? []
  const forwarded =
    target === undefined ? [] : [place(WHAT, `${target}, to which rsyslog forwards it`, null, 'the settings there')]
  return [...files, ...forwarded]
}

/** Without PROXY_CLIENTS, the proxy is elsewhere. */
function proxyLog(machine: Machine): readonly Place[] {
  const { PROXY_CLIENTS, PROXY_ACCESS_LOG, PROXY_INCLUDE } = machine.variables
  if (!PROXY_CLIENTS?.trim()) return []
  const what = "proxy's log of all requests"
  const log = PROXY_ACCESS_LOG?.trim() || 'off'
  const more = PROXY_INCLUDE?.trim()
  const included = more ? [place('what PROXY_INCLUDE logs', more, null, `access_log in ${more}`)] : []
  if (log === 'off') return included
  if (log.startsWith('syslog:')) return [place(what, log, null, 'the settings of syslog'), ...included]
  return [rotated(machine, what, log), ...included]
}

function terminatorLog(machine: Machine): readonly Place[] {
  const log = machine.variables.TERMINATOR_ACCESS_LOG?.trim() || 'off'
  const what = "terminator's access log"
  if (log === 'off') return []
  if (log.startsWith('syslog:')) return [place(what, log, null, 'the settings of syslog')]
  return [rotated(machine, what, log)]
}

function rotated(machine: Machine, what: string, path: string): Place {
  const days = rotatedDays(machine, path)
  if (days !== undefined) return place(what, path, forDays(days), 'rotate in /etc/logrotate.d')
  return place(what, path, null, `a file in /etc/logrotate.d for ${quoted(path)}: deploy/observability has examples`)
}

function place(what: string, where: string, kept: string | null, set: string): Place {
  return { what, where, kept, set, isBeyondReach: true }
}
