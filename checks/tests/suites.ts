// Tests that need root or minutes. `npm test` has the short form of each promise; these have every case.

export interface Suite {
  /** Also the file: NAME.test.ts in this folder. */
  readonly name: string
  readonly about: string
  /** Beyond Node and the npm packages. */
  readonly needs?: string
  readonly seconds: number
  /** Why it cannot run on this machine. */
  readonly lacks?: string | undefined
}

const isRoot = process.platform === 'linux' && process.getuid?.() === 0

export const SUITES: readonly Suite[] = [
  {
    name: 'accessibility',
    about: 'axe-core on every page in every state, palette, flavour and language: no violation',
    needs: 'chromium',
    seconds: 120,
  },
  {
    name: 'ledger-orders',
    about: 'every order of three attempts, and every order of statements and deaths: the state follows',
    seconds: 120,
  },
  {
    name: 'failover',
    about: 'PostgreSQL crashes and has a standby: no acceptance is lost, and the standby only reads',
    seconds: 30,
  },
  {
    name: 'full-disk',
    about: 'gatewayctl on a full and on a read-only file system: a clear error, and nothing half done',
    needs: 'root',
    seconds: 60,
    lacks: isRoot ? undefined : 'it mounts a small file system: run it as root, on Linux',
  },
]
