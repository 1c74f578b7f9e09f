// What the logs of a restored machine lack: programs that write and rotate them, and a limit.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding } from '../doctor/finding.ts'
import { journaldSettings } from '../privacy/retention/journald.ts'
import { JOURNALD_LIMIT } from '../privacy/retention/logs.ts'
import { filesUnder } from '../privacy/retention/machine.ts'

/** What reads a file: its program, and its package. */
const READERS = [
  [/^etc\/rsyslog\.d\//, 'usr/sbin/rsyslogd', 'rsyslog rsyslog-openssl'],
  [/^etc\/logrotate\.d\//, 'usr/sbin/logrotate', 'logrotate'],
] as const

/** @param root `/`, except in tests @param folders that the archives have, and files */
export function logFindings({
  root,
  folders,
}: {
  readonly root: string
  readonly folders: readonly string[]
}): readonly Finding[] {
  const unread = READERS.flatMap(([path, program, packages]): readonly Finding[] => {
    const file = folders.find((folder) => path.test(folder))
    if (file === undefined || existsSync(join(root, program))) return []
    const detail = `nothing reads /${file}: /${program} is missing`
    return [{ check: 'logs', state: 'failing', detail, advice: `apt-get install ${packages}` }]
  })
  const { maxRetention, isVolatile } = journaldSettings(filesUnder(root))
  if (maxRetention !== undefined || isVolatile) return unread
  const detail = "systemd's journal keeps the log of portal and engine without a limit in time"
  return [...unread, { check: 'logs', state: 'warning', detail, advice: JOURNALD_LIMIT }]
}
