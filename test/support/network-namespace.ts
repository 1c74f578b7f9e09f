// A network namespace for a test whose routes, addresses or packet filter are those of a whole machine.

const MARK = 'TEST_NETWORK_NAMESPACE'

/** Continues this process in a new network namespace with nothing but loopback, from the start of the test file. Requires root. */
export function continueInNetworkNamespace(file: string): void {
  if (process.env[MARK] !== undefined) return
  const words = ['unshare', '--net', 'sh', '-ec', 'ip link set lo up; exec "$0" "$@"']
  const inside = [process.execPath, ...process.execArgv, file]
  process.execve?.('/usr/bin/unshare', [...words, ...inside], { ...process.env, [MARK]: '1' } as Record<string, string>)
}
