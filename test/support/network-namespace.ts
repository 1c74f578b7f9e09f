// A network namespace for a test whose interfaces, routes, addresses or packet filter are those of a whole machine. In a
// namespace that it shared, each new interface would interrupt the browsers of other tests (ERR_NETWORK_CHANGED).

const MARK = 'TEST_NETWORK_NAMESPACE'

export const isInNetworkNamespace = process.env[MARK] !== undefined

/**
 * Continues this process in a new network namespace with nothing but loopback, from the start of the test file. Requires root.
 * @param mounts shell commands, run first, whose mounts only this process and its own see
 */
export function continueInNetworkNamespace(file: string, mounts?: string): void {
  if (isInNetworkNamespace) return
  const namespaces = ['--net', ...(mounts === undefined ? [] : ['--mount'])]
  const words = ['unshare', ...namespaces, 'sh', '-ec', `${mounts ?? ':'}; ip link set lo up; exec "$0" "$@"`]
  const inside = [process.execPath, ...process.execArgv, file]
  process.execve?.('/usr/bin/unshare', [...words, ...inside], { ...process.env, [MARK]: '1' } as Record<string, string>)
}
