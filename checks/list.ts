// All checks, in the order in which they run. The commit tier is what `.ci/run` runs.
import type { Check, Program } from './check.ts'

const GATEWAY = 'root, squid-openssl, nginx, chromium, openssl, libnss3-tools, iproute2'

/** A fault proof, with a few seconds per fault in its short form. */
function chaos(name: string, short: number, whole: number): Program & Pick<Check, 'seconds' | 'short'> {
  const file = `checks/chaos/${name}.ts`
  return { program: [file], seconds: whole, short: { program: [file, '--short'], seconds: short } }
}

export const CHECKS: readonly Check[] = [
  {
    name: 'browser',
    tier: 'commit',
    about:
      'what only a browser shows: keyboard, announcements, clipboard, double clicks, the certificate page, a long policy, password managers, the pages of terminator and proxy, colours and print',
    needs: 'chromium, nginx, openssl, libnss3-tools',
    seconds: 95,
    tests: ['checks/browser/*.test.ts'],
  },
  {
    name: 'programs',
    tier: 'commit',
    about:
      'portal, engine and gatewayctl as processes: help, options, start-up errors, ports, signals, kills, large exports and copies, what follows the journal',
    seconds: 110,
    tests: ['checks/programs/**/*.test.ts'],
  },
  {
    name: 'documented',
    tier: 'commit',
    about: 'the commands of README.md and docs/, and their output',
    needs: 'Linux, openssl, curl, jq, c-icap',
    seconds: 20,
    tests: ['checks/documented/*.test.ts'],
  },
  {
    name: 'gateway',
    tier: 'commit',
    about:
      'the proxy as it ships, each in a network of its own: what passes and what does not, without engine, after changes, with users, in an exam and a lesson with a code, in a container; and `gatewayctl proxy doctor`',
    needs: `${GATEWAY}, curl`,
    seconds: 175,
    tests: ['checks/gateway/*.test.ts'],
  },
  {
    name: 'people',
    tier: 'commit',
    about: 'two rooms, and phones whose users FreeRADIUS reports as docs/phones.md configures it, through Squid',
    needs: `${GATEWAY}, freeradius, freeradius-rest, freeradius-utils, eapoltest`,
    seconds: 20,
    tests: ['checks/people/*.test.ts'],
  },
  {
    name: 'bypass',
    tier: 'commit',
    about:
      'nobody gets around the gateway: no byte reaches a site without a decision, by any method, in any tunnel, with the engine at work, frozen, dead and back, and with wrong names of the portal; with the Squid of Debian 13. Short: a part of the table, with the Squid of this machine',
    needs: 'root, squid-openssl, nftables, iproute2, openssl, mmdebstrap',
    seconds: 360,
    tests: ['checks/bypass/table.test.ts', 'checks/gateway/one-client.test.ts'],
    squidOf: ['trixie'],
    isSerial: true,
    short: { seconds: 150, tests: ['checks/bypass/table.test.ts'], environment: { BYPASS_TABLE: 'short' } },
  },
  {
    name: 'transparent',
    tier: 'commit',
    about: "the guide's rules for transparent interception between network namespaces: nothing passes undecided",
    needs: 'root, squid-openssl, nftables, iproute2, openssl, curl',
    seconds: 15,
    tests: ['checks/tests/transparent.test.ts'],
  },
  {
    name: 'list-oracles',
    tier: 'commit',
    about: 'generated lists stop what dnsmasq, Unbound and squidGuard stop by them, but for differences that it names',
    needs: 'dnsmasq-base, unbound, squidguard',
    seconds: 5,
    tests: ['checks/tests/list-oracles.test.ts'],
  },
  {
    name: 'import',
    tier: 'commit',
    about:
      'random configurations in squidGuard, and as imported policies: the same verdicts, but for what docs/import.md names',
    needs: 'squidguard',
    seconds: 40,
    tests: ['checks/import/*.test.ts'],
  },
  {
    name: 'engine-faults',
    tier: 'commit',
    about:
      'delay, drip, reset, half-close, black hole and corruption in front of the engine, and SIGSTOP: 302, 502 or 504 in time, 503 for those that find no slot, and pages keep their latency',
    ...chaos('engine-faults', 30, 95),
  },
  {
    name: 'database-faults',
    tier: 'commit',
    about:
      'the same in front of PostgreSQL, and its crash: policies 503 in time, recovery within 5 s, no leaked connection',
    ...chaos('database-faults', 35, 95),
  },
  {
    name: 'overload',
    tier: 'commit',
    about:
      '5 times the sustainable load; then 256 file descriptors and 128 MiB with 1,000 clients behind the terminator: only 200, 302 and 503 with Retry-After, /healthz always responds, normal service within 10 s after',
    needs: 'two cores, nginx',
    ...chaos('overload', 40, 95),
  },
  {
    name: 'rolling-stop',
    tier: 'commit',
    about: 'SIGTERM under load behind nginx, with another portal in its place: not one reset, not one 502',
    needs: 'nginx',
    ...chaos('rolling-stop', 20, 55),
  },
  {
    name: 'gateway-faults',
    tier: 'commit',
    about: 'engine, portal, Squid and its CA fail under load: no request passes undecided, every outage shows a page',
    needs: 'root, squid-openssl, nginx, openssl, iproute2',
    ...chaos('gateway-faults', 100, 170),
  },
  {
    name: 'ledger',
    tier: 'commit',
    about: 'kill -9 under load, on PostgreSQL and SQLite: no session without a record',
    ...chaos('ledger', 25, 80),
  },
  {
    name: 'slow-clients',
    tier: 'commit',
    about: 'a thousand slow clients: 99.9 % of normal requests succeed in time',
    needs: 'nginx, slowhttptest',
    ...chaos('slow-clients', 20, 60),
  },

  {
    name: 'firefox',
    tier: 'nightly',
    about: 'keyboard, announcements, clipboard, double clicks and every journey to a page, in Firefox',
    needs: 'firefox',
    seconds: 145,
    tests: [
      'checks/browser/engines.test.ts',
      'test/browser/journeys.test.ts',
      'test/regressions/a-code-without-an-engine-was-answered-with-a-page.test.ts',
    ],
    environment: { TEST_BROWSER: 'firefox' },
  },
  {
    name: 'fair-slots',
    tier: 'nightly',
    about:
      'one acknowledgement repeated on three HTTP/2 connections, and 300 verdicts of one address: 495 of 500 acknowledgements by other visitors are relayed',
    needs: 'nginx, openssl',
    ...chaos('fair-slots', 55, 100),
  },
  {
    name: 'engine-state',
    tier: 'nightly',
    about: 'engines killed under load, two on one PostgreSQL that stops: no session too many, none lost, no guess more',
    ...chaos('engine-state', 45, 75),
  },
  {
    name: 'journal',
    tier: 'nightly',
    about:
      'kill -9, a full disk, and PostgreSQL that stops, under load: decisions and acknowledgements as before, and every stop is a row of the journal, or counted as lost',
    needs: 'root',
    ...chaos('journal', 60, 90),
  },
  {
    name: 'privacy',
    tier: 'nightly',
    about:
      'a deleted person in every byte of the SQLite files of state, journal and ledger, after thousands of rows around hers',
    seconds: 60,
    tests: ['checks/privacy/*.test.ts'],
  },
  {
    name: 'journal-cost',
    tier: 'nightly',
    about:
      'an engine with its journal and one without: at most 5 µs more for a stopped request, nothing for an allowed one',
    needs: 'Linux, two cores',
    seconds: 260,
    program: ['bench/journal.ts'],
    hasOptions: true,
  },
  {
    name: 'journal-scale',
    tier: 'release',
    about:
      'millions of rows of the journal on PostgreSQL: writing, look-ups and retention stay as quick as at the beginning',
    seconds: 200,
    program: ['bench/journal-scale.ts'],
    hasOptions: true,
  },
  {
    name: 'report',
    tier: 'nightly',
    about:
      'a month of a school through a real engine, and its report states the planted truths; the page in each language: no violation for axe-core, nothing that scrolls sideways, and print',
    needs: 'chromium',
    seconds: 150,
    tests: ['checks/journal/school-month.test.ts', 'checks/journal/report-page.test.ts'],
  },
  {
    name: 'report-speed',
    tier: 'nightly',
    about: 'a report about ten million generated stops with known totals, on SQLite and PostgreSQL: exact, in seconds',
    seconds: 400,
    program: ['checks/journal/report-speed.ts'],
    hasOptions: true,
  },
  {
    name: 'dashboards',
    tier: 'nightly',
    about: "every query of the dashboards and alert rules in Debian's Prometheus, which scrapes an engine that decides",
    needs: 'prometheus',
    seconds: 50,
    tests: ['checks/journal/dashboards.test.ts'],
  },
  {
    name: 'mutations',
    tier: 'nightly',
    about:
      'one-line faults in the places where a gateway opens (policy, ICAP, squid.conf, sealing, sessions, ledger, certificates): tests must notice each',
    needs: 'root, squid-openssl, nginx, nftables, iproute2, openssl, curl',
    seconds: 375,
    program: ['checks/mutations/main.ts'],
    hasOptions: true,
  },
  {
    name: 'guard',
    tier: 'nightly',
    about: '/blocked must not fall behind the recorded ratio to bare node:http',
    needs: 'two cores',
    seconds: 70,
    program: ['bench/guard.ts'],
    hasOptions: true,
  },
  {
    name: 'bench-scenarios',
    tier: 'nightly',
    about: 'every scenario of the benchmark once: shows that it runs, no figures',
    seconds: 100,
    program: ['bench/main.ts', '--quick', '--no-peers'],
  },
  {
    name: 'ledger-speed',
    tier: 'nightly',
    about: 'acknowledgements per second, compared with a durable commit: at most 200 times its cost',
    seconds: 120,
    program: ['bench/ledger.ts'],
    hasOptions: true,
    short: { seconds: 25, program: ['bench/ledger.ts', '--seconds', '1', '--rounds', '1'] },
  },
  {
    name: 'journeys',
    tier: 'nightly',
    about: 'every journey through the gateway in Chromium and Firefox: from stop to page to site, through Squid',
    needs: `${GATEWAY}, firefox`,
    seconds: 240,
    tests: ['checks/tests/journeys.test.ts'],
  },
  {
    name: 'kerberos',
    tier: 'nightly',
    about:
      "the guide's commands with a domain controller of Samba: keytab, tickets, names, groups that move, a controller that is away, and every wrong keytab as one line",
    needs: `${GATEWAY}, firefox, curl, samba, samba-ad-dc, samba-ad-provision, krb5-user, msktutil`,
    seconds: 90,
    tests: ['checks/kerberos/kerberos.test.ts'],
  },
  {
    name: 'accessibility',
    tier: 'nightly',
    about:
      'every page in every state and language: no violation for axe-core, in any palette and flavour, every control in reach of the keyboard, with a visible focus, and nothing that vanishes in forced colours',
    needs: 'chromium',
    seconds: 180,
    tests: ['checks/tests/accessibility.test.ts'],
  },
  {
    name: 'reflow',
    tier: 'nightly',
    about:
      'every page in every state, palette and language at 320 pixels: nothing is cut off, overlaps or scrolls sideways; also those of terminator and proxy, and print',
    needs: 'chromium',
    seconds: 60,
    tests: ['checks/tests/reflow.test.ts'],
  },
  {
    name: 'properties',
    tier: 'nightly',
    about: 'the properties that `npm test` tries with random values, five times as often',
    seconds: 60,
    tests: [
      'test/**/*.property.test.ts',
      'test/contract/payload.test.ts',
      'test/engine/policy/lists/read-list.test.ts',
      'test/engine/state/events.test.ts',
      'test/gatewayctl/csv.test.ts',
      'test/gatewayctl/portal/acceptances/ledger/merging.test.ts',
      'test/portal/verdict/operator-policy.test.ts',
      'test/settings/secrets.test.ts',
    ],
    environment: { ALL_RUNS: '1' },
  },
  {
    name: 'ledger-orders',
    tier: 'nightly',
    about: 'every order of three attempts, of statements and of crashes: the state follows',
    seconds: 180,
    tests: ['checks/tests/ledger-orders.test.ts'],
  },
  {
    name: 'failover',
    tier: 'nightly',
    about: 'PostgreSQL crashes and has a standby: no acceptance is lost, and the standby only reads',
    seconds: 30,
    tests: ['checks/tests/failover.test.ts'],
  },
  {
    name: 'alarms',
    tier: 'nightly',
    about:
      'Postfix delivers alarms about causes that are made true: a killed engine and portal, no proxy, a full file system, a rejected list, an expired CA, a clock that is off',
    needs: 'root, postfix, openssl',
    seconds: 60,
    tests: ['checks/tests/alarms.test.ts'],
  },
  {
    name: 'full-disk',
    tier: 'nightly',
    about: 'gatewayctl on a full and on a read-only file system: a clear error, and no partial change',
    needs: 'root',
    seconds: 60,
    tests: ['checks/tests/full-disk.test.ts'],
  },
  {
    name: 'fuzz',
    tier: 'nightly',
    about: 'every parser of outside input, with coverage-guided inputs',
    seconds: 310,
    program: ['checks/fuzz/main.ts'],
    hasOptions: true,
  },

  {
    name: 'access-log',
    tier: 'release',
    about: "the proxy's access log: SARG, LightSquid and Calamaris read it, and it is rotated",
    needs: 'root, squid-openssl, sarg, lightsquid, calamaris, logrotate, iproute2',
    seconds: 30,
    tests: ['checks/access-log/*.test.ts'],
  },
  {
    name: 'gateway-debian-13',
    tier: 'release',
    about: 'the tests of the proxy, with the Squid of Debian 13',
    needs: `${GATEWAY}, mmdebstrap`,
    seconds: 180,
    tests: ['test/proxy/*.test.ts', 'checks/gateway/*.test.ts'],
    squidOf: ['trixie'],
  },
  {
    name: 'bypass-debian-12',
    tier: 'release',
    about: 'the whole table of bypass, with the Squid of Debian 12',
    needs: 'root, squid-openssl, nftables, iproute2, openssl, mmdebstrap',
    seconds: 420,
    tests: ['checks/bypass/table.test.ts'],
    squidOf: ['bookworm'],
  },
  {
    name: 'tls',
    tier: 'release',
    about: 'testssl.sh against the terminator: nothing worse than "low", except what the program accepts with a reason',
    needs: 'nginx, testssl.sh',
    seconds: 120,
    program: ['checks/tls.ts'],
  },
  {
    name: 'scan',
    tier: 'release',
    about: 'wapiti against the demo: nothing above "informational"',
    needs: 'nginx, wapiti',
    seconds: 300,
    program: ['checks/scan.ts'],
    hasOptions: true,
  },
  {
    name: 'archive',
    tier: 'release',
    about:
      "a release is listed and signed, and gatewayctl's archive runs where it is unpacked, without this repository",
    needs: 'Linux on x64, dpkg, gnupg',
    seconds: 60,
    tests: ['checks/tests/archive.test.ts'],
  },
  {
    name: 'deploy',
    tier: 'release',
    about: 'builds the images and runs the deployment tests with Docker and podman',
    needs: 'root, docker.io, docker-compose, mmdebstrap, curl, podman, podman-compose, crun, netavark',
    seconds: 600,
    program: ['checks/deploy/main.ts'],
    hasOptions: true,
  },
  {
    name: 'packages',
    tier: 'release',
    about:
      'builds the Debian packages, and installs, upgrades, rolls back, restores and purges them under systemd, on Debian 13 and 12',
    needs: 'root, lintian, mmdebstrap, systemd-container',
    seconds: 800,
    program: ['checks/packages/main.ts'],
    hasOptions: true,
  },
  {
    name: 'start',
    tier: 'release',
    about:
      'pastes the commands of docs/start.md into new machines with Debian 13 and 12, up to a browser that gets blocked',
    needs: 'root, mmdebstrap, openssl, systemd-container',
    seconds: 700,
    program: ['checks/start/main.ts'],
    hasOptions: true,
  },
  {
    name: 'readme',
    tier: 'release',
    about:
      "pastes README's commands up to npm start into minimal Debians 12 and 13: what it says that you need is enough, and npm start names a missing library",
    needs: "root, mmdebstrap, Debian's mirror, the registry of npm",
    seconds: 400,
    program: ['checks/readme/main.ts'],
  },
  {
    name: 'swarm',
    tier: 'release',
    about: 'the Docker Swarm stack under load: update, rollback, killed replica',
    needs: 'a Docker Engine with the images, a name server that responds',
    seconds: 220,
    program: ['checks/swarm/main.ts'],
    hasOptions: true,
  },
  {
    name: 'lighthouse',
    tier: 'release',
    about: "Lighthouse's scores of the pages",
    needs: 'chromium, an idle machine',
    seconds: 180,
    program: ['checks/lighthouse.ts'],
    hasOptions: true,
  },
  {
    name: 'soak',
    tier: 'release',
    about:
      'the whole gateway for 20 minutes, with browsing through Squid, 100 requests a second to the portal and a fault a minute: no unexpected response, and memory and descriptors must not grow',
    needs: 'root, squid-openssl, nginx, openssl, iproute2',
    seconds: 1260,
    program: ['checks/soak/main.ts'],
    hasOptions: true,
  },
]
