// All checks, in the order in which `--all` runs them.
import { SCENARIOS } from './chaos/scenarios.ts'
import type { Check } from './check.ts'
import { SUITES } from './tests/suites.ts'

const CHAOS = 'checks/chaos/main.ts'
const NOTHING = 'nothing'

const scenarios = SCENARIOS.map(
  ({ name, about, needs = NOTHING, seconds = { whole: 120, short: 30 } }): Check => ({
    name,
    about,
    needs,
    seconds: seconds.whole,
    program: [CHAOS, name],
    short: { args: ['--short'], seconds: seconds.short },
    isRequired: true,
  }),
)

const suites = SUITES.map(
  ({ name, about, needs = NOTHING, seconds, isShort }): Check => ({
    name,
    about,
    needs,
    seconds,
    program: ['checks/tests/main.ts', name],
    ...(isShort && { short: { args: [], seconds } }),
    isRequired: true,
  }),
)

export const CHECKS: readonly Check[] = [
  ...scenarios,
  {
    name: 'ledger',
    about: 'kill -9 under load, on PostgreSQL and SQLite: no session without a record',
    needs: NOTHING,
    seconds: 170,
    program: ['checks/chaos/ledger.ts'],
    short: { args: ['--seconds', '8', '--rate', '60', '--kill-every', '2'], seconds: 35 },
    isRequired: true,
  },
  ...suites,
  {
    name: 'slow-clients',
    about: 'a thousand slow clients: 99.9 % of normal requests succeed in time',
    needs: 'nginx, slowhttptest',
    seconds: 110,
    program: ['checks/chaos/slow-clients.ts'],
    short: { args: ['--seconds', '5', '--connections', '300'], seconds: 30 },
    isRequired: true,
  },
  {
    name: 'tls',
    about: 'testssl.sh against the terminator: nothing worse than "low"',
    needs: 'nginx, testssl.sh',
    seconds: 120,
    program: ['checks/tls.ts'],
    isRequired: true,
  },
  {
    name: 'scan',
    about: 'wapiti against the demo: nothing above "informational"',
    needs: 'nginx, wapiti',
    seconds: 300,
    program: ['checks/scan.ts'],
    isRequired: true,
  },
  {
    name: 'fuzz',
    about: 'every parser of outside input, with coverage-guided inputs',
    needs: NOTHING,
    seconds: 600,
    program: ['checks/fuzz/main.ts'],
    isRequired: true,
  },
  {
    name: 'soak',
    about: 'mixed traffic and faults: memory and descriptors must not grow',
    needs: NOTHING,
    seconds: 1820,
    program: ['checks/soak/main.ts'],
    isRequired: true,
  },
  {
    name: 'browsing',
    about: 'an hour of mixed browsing through the gateway: no unexpected response, and memory must not grow',
    needs: 'root, squid-openssl, nginx, openssl, iproute2',
    seconds: 3630,
    program: ['checks/browsing/main.ts'],
    isRequired: true,
  },
  {
    name: 'bypass',
    about:
      'nobody gets around the gateway: no byte reaches a site without a decision, by any method, in any tunnel, with the engine at work, frozen, dead and back, and with wrong names of the portal; with the Squid of Debian 12 and that of Debian 13',
    needs: 'root, squid-openssl, nftables, iproute2, openssl, mmdebstrap',
    seconds: 700,
    program: ['checks/bypass/main.ts'],
    short: { args: ['--short'], seconds: 100 },
    isRequired: true,
  },
  {
    name: 'gateway-debian-13',
    about: 'the tests of the proxy, with the Squid of Debian 13',
    needs: 'root, mmdebstrap, squid-openssl, nginx, chromium, openssl, libnss3-tools, iproute2',
    seconds: 180,
    program: ['checks/gateway/debian-13.ts'],
    isRequired: true,
  },
  {
    name: 'deploy',
    about: 'builds the images and runs the deployment tests with Docker and podman',
    needs: 'root, docker.io, docker-compose, mmdebstrap, curl, podman, podman-compose, crun, netavark',
    seconds: 600,
    program: ['checks/deploy/main.ts'],
    isRequired: true,
  },
  {
    name: 'packages',
    about:
      'builds the Debian packages, and installs, upgrades, rolls back, restores and purges them under systemd, on Debian 13 and 12',
    needs: 'root, lintian, mmdebstrap, systemd-container',
    seconds: 800,
    program: ['checks/packages/main.ts'],
    isRequired: true,
  },
  {
    name: 'start',
    about:
      'pastes the commands of docs/start.md into new machines with Debian 13 and 12, up to a browser that gets blocked',
    needs: 'root, mmdebstrap, openssl, systemd-container',
    seconds: 700,
    program: ['checks/start/main.ts'],
    isRequired: true,
  },
  {
    name: 'readme',
    about: "pastes README's first commands into minimal Debians 12 and 13: what it says that you need is enough",
    needs: "root, mmdebstrap, Debian's mirror, the registry of npm",
    seconds: 400,
    program: ['checks/readme/main.ts'],
    isRequired: true,
  },
  {
    name: 'swarm',
    about: 'the Docker Swarm stack under load: update, rollback, killed replica',
    needs: 'a Docker Engine with the images, a name server that responds',
    seconds: 220,
    program: ['checks/swarm/main.ts'],
    isRequired: true,
  },
  {
    name: 'lighthouse',
    about: "Lighthouse's scores of the pages",
    needs: 'chromium, an idle machine',
    seconds: 180,
    program: ['checks/lighthouse.ts'],
    isRequired: true,
  },
  {
    name: 'ledger-size',
    about: 'writes, queries, exports and prunes ledgers of many acceptances: what an index finds takes no longer',
    needs: NOTHING,
    seconds: 120,
    program: ['checks/ledger-size.ts'],
    isRequired: true,
  },
  {
    name: 'ledger-speed',
    about: 'acknowledgements per second, compared with a durable commit: at most 200 times its cost',
    needs: NOTHING,
    seconds: 120,
    program: ['bench/ledger.ts'],
    short: { args: ['--seconds', '1', '--rounds', '1'], seconds: 25 },
    isRequired: true,
  },
  {
    name: 'guard',
    about: '/blocked must not fall behind the recorded ratio to bare node:http',
    needs: 'two cores',
    seconds: 70,
    program: ['bench/guard.ts'],
    short: { args: [], seconds: 70 },
    isRequired: true,
  },
  {
    name: 'bench-scenarios',
    about: 'every scenario of the benchmark once: shows that it runs, no figures',
    needs: NOTHING,
    seconds: 90,
    program: ['bench/main.ts', '--quick', '--no-peers'],
    short: { args: [], seconds: 90 },
    isRequired: true,
  },
  {
    name: 'compare',
    about: 'this checkout and another one, in 24 alternating pairs',
    needs: 'two cores, --base REF or FOLDER',
    seconds: 1200,
    program: ['bench/compare.ts'],
    isRequired: false,
  },
]
