// What a backup may contain, and the owners and modes that the packages give it. An archive decides neither where a file is
// written nor who owns a secret.

/** Relative to /. Each is replaced as a whole. */
const FOLDERS = [
  'etc/gateway',
  'var/lib/gateway-engine',
  'var/lib/gateway-lists',
  'var/lib/gateway-groups',
  'var/lib/portal',
]
/** Of other programs, for the gateway's logs: docs/start.md, docs/observability.md and deploy/observability have them. */
const FILES = [
  'etc/systemd/journald.conf.d/gateway.conf',
  'etc/rsyslog.d/gateway.conf',
  'etc/logrotate.d/gateway',
  'etc/logrotate.d/gateway-proxy',
]
/** What `systemctl edit` has changed. */
const DROP_INS = /^etc\/systemd\/system\/gateway-[^/]*\.d(?=\/|$)/

/** @returns the folder that has this path, or the path of a file alone; undefined for a path that no backup has */
export function folderOf(path: string): string | undefined {
  if (isFileAlone(path)) return path
  const [dropIns] = DROP_INS.exec(path) ?? []
  return dropIns ?? FOLDERS.find((folder) => path === folder || path.startsWith(`${folder}/`))
}

/** Whether the folder of this path has files of others, so that it is replaced alone. */
export const isFileAlone = (path: string): boolean => FILES.includes(path)

export interface Attributes {
  readonly mode: number
  readonly user: string
  readonly group: string
}

interface Rule {
  readonly path: RegExp
  /** Undefined: that of the archive, if it is one of ours. */
  readonly user?: string
  readonly group?: string
  /** Of a folder that the packages create. */
  readonly mode?: number
  /** Permissions that the archive may give. */
  readonly most?: number
}

const USERS = [
  'root',
  ...['portal', 'engine', 'terminator', 'lists', 'groups', 'proxy'].map((name) => `gateway-${name}`),
]
const GROUPS = [...USERS, 'gateway', 'gateway-bump']
const [ROOT, MOST] = ['root', 0o775]

/** The first one counts. */
const RULES: readonly Rule[] = [
  { path: /^etc\/gateway$/, user: ROOT, group: 'gateway', mode: 0o750 },
  { path: /^etc\/gateway\/\.env$/, user: ROOT, group: ROOT, mode: 0o600 },
  { path: /^etc\/gateway\/secrets$/, user: ROOT, group: ROOT, mode: 0o700 },
  { path: /^etc\/gateway\/secrets\//, user: ROOT, group: ROOT, most: 0o700 },
  { path: /^etc\/gateway\/engine$/, user: 'gateway-engine', group: 'gateway', mode: 0o700 },
  { path: /^etc\/gateway\// },
  { path: /^etc\/(systemd\/journald\.conf|rsyslog|logrotate)\.d\//, user: ROOT, group: ROOT, most: 0o644 },
  { path: /^etc\/systemd\//, user: ROOT, group: ROOT, most: 0o755 },
  { path: /^var\/lib\/portal(\/|$)/, user: 'gateway-portal', group: 'gateway-portal', most: 0o700 },
  { path: /^var\/lib\/gateway-engine$/, user: 'gateway-engine', group: 'gateway-terminator', mode: 0o755 },
  // The folder of the proxy's CA gives its group to the files in it.
  { path: /^var\/lib\/gateway-engine\//, user: 'gateway-engine', most: 0o2755 },
  ...['gateway-lists', 'gateway-groups'].map((name) => ({
    ...{ path: new RegExp(`^var/lib/${name}(/|$)`), user: name, group: name, most: 0o755 },
  })),
]

/** @param given by the archive; for a folder that it only implies, a default */
export function attributesOf(path: string, given: Attributes, isFolder: boolean): Attributes {
  const rule: Partial<Rule> = RULES.find((one) => one.path.test(path)) ?? {}
  const { user, group, mode, most = MOST } = rule
  return {
    user: user ?? oneOf(USERS, given.user),
    group: group ?? oneOf(GROUPS, given.group),
    mode: mode ?? given.mode & (isFolder ? most : most & 0o777),
  }
}

function oneOf(names: readonly string[], given: string): string {
  return names.includes(given) ? given : ROOT
}
