// Tests that need root or minutes. `accessibility`, `reflow`, `ledger-orders`, `failover`, `journeys` and `full-disk` cover
// every case of promises that `npm test` covers briefly.

export interface Suite {
  readonly name: string
  /** By default NAME.test.ts in this folder. */
  readonly files?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly about: string
  /** Beyond Node and the npm packages. */
  readonly needs?: string
  readonly seconds: number
  /** Whether `.ci/run` runs it. */
  readonly isShort?: boolean
  /** Why it cannot run on this machine. */
  readonly lacks?: string | undefined
}

const isLinuxOnX64 = process.platform === 'linux' && process.arch === 'x64'
const isRoot = process.platform === 'linux' && process.getuid?.() === 0

export const SUITES: readonly Suite[] = [
  {
    name: 'browser',
    about:
      'what only a browser shows: keyboard, announcements, clipboard, double clicks, the certificate page, a long policy, password managers, the pages of terminator and proxy, colours and print',
    files: ['checks/browser/*.test.ts'],
    needs: 'chromium, firefox, nginx, openssl, libnss3-tools',
    seconds: 70,
    isShort: true,
  },
  {
    name: 'programs',
    about:
      'portal, engine and gatewayctl as processes: help, options, start-up errors, ports, signals, kills, large exports and copies',
    files: ['checks/programs/**/*.test.ts'],
    seconds: 100,
    isShort: true,
  },
  {
    name: 'documented',
    about: 'the commands of README.md and docs/, and their output',
    files: ['checks/documented/*.test.ts'],
    needs: 'Linux, openssl, curl, jq, c-icap',
    seconds: 30,
    isShort: true,
    lacks: process.platform === 'linux' ? undefined : 'the commands are for Linux: run it there',
  },
  {
    name: 'firefox',
    about: 'keyboard, announcements, clipboard, double clicks, and every journey to a page, in Firefox',
    files: [
      'checks/browser/engines.test.ts',
      'test/browser/journeys.test.ts',
      'test/regressions/a-code-without-an-engine-was-answered-with-a-page.test.ts',
    ],
    environment: { TEST_BROWSER: 'firefox' },
    needs: 'firefox',
    seconds: 120,
    isShort: true,
  },
  {
    name: 'gateway',
    about:
      'the proxy as it ships, each in a network of its own: what passes and what does not, without engine, after changes, with users, in a container; and `gatewayctl proxy doctor`',
    files: ['checks/gateway/*.test.ts'],
    needs: 'root, squid-openssl, nginx, chromium, openssl, libnss3-tools, iproute2',
    seconds: 60,
    isShort: true,
    lacks: isRoot ? undefined : 'it creates network namespaces: run it as root on Linux',
  },
  {
    name: 'access-log',
    about: "the proxy's access log: SARG, LightSquid and Calamaris read it, and it is rotated",
    files: ['checks/access-log/*.test.ts'],
    needs: 'root, squid-openssl, sarg, lightsquid, calamaris, logrotate, iproute2',
    seconds: 30,
    lacks: isRoot ? undefined : 'it creates network namespaces: run it as root on Linux',
  },
  {
    name: 'accessibility',
    about:
      'every page in every state and language: no violation for axe-core, in any palette and flavour, every control in reach of the keyboard, with a visible focus, and nothing that vanishes in forced colours',
    needs: 'chromium',
    seconds: 180,
  },
  {
    name: 'reflow',
    about:
      'every page in every state, palette and language at 320 pixels: nothing is cut off, overlaps or scrolls sideways; also those of terminator and proxy, and print',
    needs: 'chromium',
    seconds: 60,
  },
  {
    name: 'ledger-orders',
    about: 'every order of three attempts, of statements and of crashes, and random histories: the state follows',
    seconds: 180,
  },
  {
    name: 'failover',
    about: 'PostgreSQL crashes and has a standby: no acceptance is lost, and the standby only reads',
    seconds: 30,
  },
  {
    name: 'journeys',
    about: 'every journey through the gateway in Chromium and Firefox: from stop to page to site, through Squid',
    needs: 'root, chromium, firefox, squid-openssl, nginx, openssl, libnss3-tools, iproute2',
    seconds: 240,
  },
  {
    name: 'transparent',
    about: "the guide's rules for transparent interception between network namespaces: nothing passes undecided",
    needs: 'root, squid-openssl, nftables, iproute2, openssl, curl',
    seconds: 15,
    isShort: true,
    lacks: isRoot ? undefined : 'it creates network namespaces: run it as root on Linux',
  },
  {
    name: 'full-disk',
    about: 'gatewayctl on a full and on a read-only file system: a clear error, and no partial change',
    needs: 'root',
    seconds: 60,
    lacks: isRoot ? undefined : 'it mounts a small file system: run it as root on Linux',
  },
  {
    name: 'archive',
    about:
      "a release is listed and signed, and gatewayctl's archive runs where it is unpacked, without this repository",
    needs: 'Linux on x64, dpkg, gnupg',
    seconds: 60,
    lacks: isLinuxOnX64 ? undefined : 'it runs the archive for Linux on x64: run it there',
  },
]
