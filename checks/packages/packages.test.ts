// The Debian packages on machines that systemd boots: an administrator's way from the installation to the purge.
// `npm run check -- packages` builds them and the machine's root.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import packageJson from '#package' with { type: 'json' }
import { commandBlocks } from '../../test/deploy/command-blocks.ts'
import { type Machine, startMachine } from './machine.ts'
import { acknowledge } from './visitor.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const { PACKAGES_WORK = '', PACKAGES_BASE = '', PACKAGES_FIRST = 'yes' } = process.env
const isFirst = PACKAGES_FIRST === 'yes'
const { PACKAGES_BUILT = '', PACKAGES_AGAIN = '', PACKAGES_EARLIER = '' } = process.env
const NAMES = ['gateway-engine', 'gateway-portal', 'gateway-squid']
const SERVICES = 'gateway-engine gateway-portal gateway-terminator gateway-proxy'

/** Without them, Squid would wait for DNS servers. */
const KNOWN_NAMES = "printf '%s\\n' '127.0.0.1 portal.example' '192.0.2.1 casino.example rules.example' >>/etc/hosts"

/** What an administrator sets. */
const CONFIGURE = `
  sed -i -e 's/^GATEWAY_CAPTIVE_HOSTNAME=.*/GATEWAY_CAPTIVE_HOSTNAME=portal.example/' \\
    -e 's/^GATEWAY_ORG_NAME=.*/GATEWAY_ORG_NAME="Northwind Institute"/' \\
    -e 's/^PROXY_CLIENTS=.*/PROXY_CLIENTS=127.0.0.1/' /etc/gateway/.env
  echo PROXY_HOSTS=/etc/hosts >>/etc/gateway/.env`

/** A journal, as the engine's user, where this engine has none. */
const JOURNAL = `
  setpriv --reuid gateway-engine --regid gateway-terminator --clear-groups /usr/lib/gateway-engine/bin/node --eval '
    new (require("node:sqlite").DatabaseSync)("/var/lib/gateway-engine/engine/journal.db").exec("create table if not exists kept (id)")'`

/** Whom the files that are restored belong to, without the databases, which have been copied. */
const owners = (machine: Machine) =>
  machine.run(`find /etc/gateway /var/lib/gateway-engine /var/lib/gateway-lists /var/lib/portal /etc/systemd/system/gateway-*.d \\
    ! -name '*.db*' -printf '%p %u %g %m\n' | sort`)

/** The block of docs/run.md that an administrator pastes. */
function guide(command: RegExp): string {
  const blocks = commandBlocks('docs/run.md').filter(({ runBy }) => runBy === 'npm run check -- packages')
  const [block, ...others] = blocks.filter(({ text }) => command.test(text))
  assert.ok(block !== undefined && others.length === 0, `${command}`)
  return block.text
}

const debs = (folder: string) => readdirSync(folder).map((name) => join(folder, name))
const basenames = (folder: string) =>
  readdirSync(folder)
    .map((name) => `/root/${name}`)
    .join(' ')

// They are the same on each Debian.
describe('the files', { skip: !isFirst }, () => {
  test('are the same when they are built again', () => {
    assert.deepEqual(
      readdirSync(PACKAGES_BUILT),
      NAMES.map((name) => `${name}_${packageJson.version}_amd64.deb`),
    )
    for (const name of readdirSync(PACKAGES_BUILT)) {
      assert.ok(readFileSync(join(PACKAGES_BUILT, name)).equals(readFileSync(join(PACKAGES_AGAIN, name))), name)
    }
  })

  test('have no error for lintian', () => {
    const options = ['--fail-on', 'error', '--allow-root', '--tag-display-limit', '0']
    const { status, stdout, stderr } = spawnSync('lintian', [...options, ...debs(PACKAGES_BUILT)], { encoding: 'utf8' })
    assert.equal(status, 0, stdout + stderr)
  })

  test('belong to root, contain no path of this machine, and match their digests', () => {
    const folder = mkdtempSync(join(PACKAGES_WORK, 'content-'))
    for (const [index, file] of debs(PACKAGES_BUILT).entries()) {
      const { stdout } = spawnSync('dpkg-deb', ['--contents', file], { encoding: 'utf8', maxBuffer: 2 ** 26 })
      const owners = stdout
        .trim()
        .split('\n')
        .map((line) => line.split(/\s+/)[1])
      assert.deepEqual([...new Set(owners)], ['root/root'])
      const tree = join(folder, `${index}`)
      assert.equal(spawnSync('dpkg-deb', ['--raw-extract', file, tree]).status, 0)
      assert.equal(spawnSync('md5sum', ['--check', '--quiet', 'DEBIAN/md5sums'], { cwd: tree }).status, 0)
      for (const path of [ROOT.replace(/\/$/, ''), PACKAGES_WORK, '/opt/gateway-captive-portal']) {
        const { stdout: found } = spawnSync('grep', ['-rlF', '--exclude-dir=doc', path, tree], { encoding: 'utf8' })
        assert.equal(found, '', path)
      }
    }
    rmSync(folder, { recursive: true })
  })
})

describe('a machine', () => {
  let machine: Machine
  let key = ''
  let root = ''
  let secrets = ''
  before(async () => {
    machine = await startMachine(PACKAGES_BASE, join(PACKAGES_WORK, 'machine'))
    machine.copyIn(...debs(PACKAGES_EARLIER), ...debs(PACKAGES_BUILT))
  })
  after(() => machine?.stop())

  const install = (folder: string, options = '') => machine.run(`apt-get install --yes ${options} ${basenames(folder)}`)
  const log = (unit: string) => machine.run(`journalctl --sync && journalctl --unit ${unit} --output cat`)
  const version = () => machine.run('gatewayctl --version').trim()
  const isActive = (units = SERVICES) => machine.run(`systemctl is-active ${units} || true`).trim().split('\n')
  const fingerprint = () =>
    machine.run('sha256sum /var/lib/gateway-engine/ca/ca.crt /var/lib/gateway-engine/engine/ca.key')
  const digests = () => machine.run('cd /etc/gateway && sha256sum .env secrets/* engine/policy.toml portal.unit')
  const acceptances = () => JSON.parse(machine.run('gatewayctl portal acceptances list --json')).total
  const sessions = (): { readonly rule: string }[] => {
    return JSON.parse(machine.run('gatewayctl engine sessions list --json')).sessions
  }

  test('after the installation nothing runs, and there is no secret and no key', () => {
    install(PACKAGES_EARLIER)
    assert.equal(machine.run("stat --format '%a %U %G' /etc/gateway").trim(), '750 root gateway')
    assert.equal(machine.run("stat --format '%a %U' /etc/gateway/.env").trim(), '600 root')
    assert.equal(machine.run('ls -A /etc/gateway/secrets'), '')
    assert.equal(machine.run('ls -d /var/lib/gateway-engine /var/lib/portal 2>/dev/null || true'), '')
    assert.deepEqual([...new Set(isActive())], ['inactive'])
    const states = machine.run("systemctl list-unit-files --no-legend 'gateway-*' | awk '{ print $2 }' | sort -u")
    assert.deepEqual(states.trim().split('\n'), ['disabled', 'static'])
    // The guide disables these two.
    assert.deepEqual(isActive('nginx squid'), ['active', 'active'])
  })

  test('without settings no service starts, and the log names the missing one', () => {
    assert.throws(() => machine.run('systemctl start gateway-engine'))
    assert.match(log('gateway-engine-prepare'), /GATEWAY_CAPTIVE_HOSTNAME must be set in /)
    assert.equal(machine.run('ls -A /etc/gateway/secrets'), '')
    machine.run("sed -i 's/^GATEWAY_CAPTIVE_HOSTNAME=.*/GATEWAY_CAPTIVE_HOSTNAME=portal.example/' /etc/gateway/.env")
    assert.throws(() => machine.run('systemctl start gateway-engine'))
    assert.match(log('gateway-engine-prepare'), /GATEWAY_ORG_NAME must be set in /)
    assert.deepEqual(isActive('gateway-engine'), ['inactive'])
  })

  test('with them, all services start, create their secrets and do their work', () => {
    machine.run(`${CONFIGURE}
      cp -r /usr/share/gateway-engine/policy/. /etc/gateway/engine/
      printf '[[rules]]\\nname = "house-rules"\\nmatch = ["rules.example"]\\naction = "aup"\\n' >>/etc/gateway/engine/policy.toml
      ${KNOWN_NAMES}
      systemctl disable --now nginx squid`)
    // Before the first start there are no secrets, and a check creates none.
    assert.match(machine.run('gateway-engine --check 2>&1'), /no problems; rules: 12\b/)
    assert.equal(machine.run('ls -A /etc/gateway/secrets'), '')
    machine.run(`systemctl enable --now ${SERVICES}`)
    waitUntilServing()
    assert.deepEqual([...new Set(isActive())], ['active'])
    const owners = machine.run("cd /etc/gateway/secrets && stat --format '%n %a %U' *").trim().split('\n')
    const names = ['engine-api-token', 'icap-token', 'secret-key', 'shared-secret']
    assert.deepEqual(
      owners,
      names.map((name) => `${name} 600 root`),
    )
    const lines = machine.run('journalctl --sync && journalctl --output cat')
    for (const name of names) assert.ok(!lines.includes(machine.run(`cat /etc/gateway/secrets/${name}`).trim()), name)
    machine.run('gatewayctl portal status && gatewayctl portal doctor && gatewayctl engine status')
    const gateway = { proxy: 'http://127.0.0.1:3128', ca: '/var/lib/gateway-engine/ca/ca.crt' }
    assert.match(acknowledge(machine, gateway, 'http://rules.example/'), /^https:\/\/portal\.example\/aup\?p=/)
    assert.equal(acceptances(), 1)
    assert.deepEqual(
      sessions().map(({ rule }) => rule),
      ['house-rules'],
    )
    root = fingerprint()
    secrets = digests()
  })

  /** Waits for the portal behind its terminator, for a decision of the engine through the proxy, and until the portal has noticed the engine. */
  function waitUntilServing(): void {
    machine.run(`
      for attempt in $(seq 60); do
        if curl --silent --fail --cacert /var/lib/gateway-engine/ca/ca.crt https://portal.example/healthz >/dev/null &&
          curl --silent --proxy http://127.0.0.1:3128 --output /dev/null --write-out '%{redirect_url}' \\
            http://casino.example/ | grep --quiet '^https://portal.example/blocked?p=' &&
          gatewayctl portal status >/dev/null 2>&1; then exit 0; fi
        sleep 1
      done
      systemctl --no-pager status ${SERVICES}
      exit 1`)
  }

  function assertNothingLost(): void {
    waitUntilServing()
    assert.deepEqual([...new Set(isActive())], ['active'])
    assert.equal(fingerprint(), root)
    assert.equal(digests(), secrets)
    assert.equal(acceptances(), 1)
    assert.equal(sessions().length, 1)
  }

  test('an upgrade restarts what runs, and keeps settings, secrets, keys, ledger and sessions', () => {
    const started = machine.run('systemctl show --property=ActiveEnterTimestampMonotonic gateway-engine')
    install(PACKAGES_BUILT)
    assert.equal(version(), packageJson.version)
    assertNothingLost()
    assert.notEqual(machine.run('systemctl show --property=ActiveEnterTimestampMonotonic gateway-engine'), started)
    assert.match(machine.run('curl -sS http://127.0.0.1:8000/healthz'), RegExp(`"${packageJson.version}"`))
  })

  test('so does the way back, and a second upgrade', () => {
    install(PACKAGES_EARLIER, '--allow-downgrades')
    assert.ok(debs(PACKAGES_EARLIER)[0]?.includes(`_${version()}_`))
    assertNothingLost()
    install(PACKAGES_BUILT)
    assertNothingLost()
  })

  test('each service has its sandbox, and no other unit of the machine gets it', () => {
    machine.run("printf '[Service]\\nExecStart=/bin/true\\n' >/run/systemd/system/gateway-other.service")
    const dropIns = (unit: string) => machine.run(`systemctl show --property=DropInPaths --value ${unit}`).trim()
    assert.equal(dropIns('gateway-other.service'), '')
    const units = machine.run('cd /usr/lib/systemd/system && ls -d gateway-*.service').trim().split('\n')
    assert.equal(units.length, 13)
    for (const unit of units) {
      assert.match(dropIns(unit), RegExp(`^/usr/lib/systemd/system/${unit}\\.d/10-hardening\\.conf`))
    }
    machine.run(`mv /usr/lib/systemd/system/gateway-prune.service.d /root/ && systemctl daemon-reload`)
    assert.throws(() => machine.run('systemctl start gateway-prune'), /Assertion failed/)
    machine.run(`mv /root/gateway-prune.service.d /usr/lib/systemd/system/ && rm /run/systemd/system/gateway-other.service
      systemctl daemon-reload`)
  })

  test('no other user sees the shared memory of the proxy, with which it could keep Squid from starting', () => {
    const memory = (prefix = '') => machine.run(`${prefix} find /dev/shm -name '*-tls_session_cache.shm'`).trim()
    assert.match(
      memory('nsenter --mount --target "$(systemctl show --property=MainPID --value gateway-proxy)"'),
      /gateway/,
    )
    assert.equal(memory(), '')
  })

  test('an imported policy is checked before it is in force, and then read by the engine', () => {
    machine.run(`
      mkdir -p /root/adult '/root/a b' && echo adult.example >/root/adult/domains
      cat >/root/squidGuard.conf <<'END'
dbhome /root
src pupils { ip 10.0.0.0/8 }
dest adult { domainlist adult/domains }
acl {
  pupils { pass !adult all }
  default { pass none }
}
END
      gatewayctl import squidguard /root/squidGuard.conf --output '/root/a b/imported'`)
    const [put] = commandBlocks('docs/import.md').filter(({ runBy }) => runBy === 'npm run check -- packages')
    assert.ok(put !== undefined)
    const check = `cd '/root/a b' && gateway-engine --check imported/policy.toml 2>&1 || true`
    const policy = () => machine.run('sha256sum /etc/gateway/engine/policy.toml')
    const inForce = policy()
    assert.match(machine.run(check), /policy\.toml must be a file that can be read; the system reports EACCES/)
    machine.run(`cd '/root/a b' && chown -R gateway-engine imported`)
    // A new policy, compared with the one in force: its list has been read.
    assert.match(machine.run(check), /must not lose half of its rules; it has 2\b/)
    assert.equal(policy(), inForce)
    machine.run(`
      cp -a /etc/gateway/engine /root/kept
      cd '/root/a b'
      ${put.text.replace(/^(gateway-engine .*)$/m, '$1 || true')}
      gatewayctl engine reload --accept-losses`)
    assert.match(machine.run('gateway-engine --check 2>&1'), /no problems; rules: 2, lists: 1, names: 1\b/)
    machine.run('cp -a /root/kept/. /etc/gateway/engine/ && gatewayctl engine reload --accept-losses')
    assert.equal(policy(), inForce)
  })

  test('the engine’s program runs once with the settings of the service', () => {
    assert.match(machine.run('gateway-engine --check 2>&1'), /no problems; rules: 12\b/)
    machine.run('gateway-engine --rotate-ca 30')
    const owner = machine.run("stat --format '%U %G %a' /var/lib/gateway-engine/ca/ca-next.crt").trim()
    assert.equal(owner, 'gateway-engine gateway-terminator 644')
    assert.match(
      machine.run('openssl x509 -noout -subject -in /var/lib/gateway-engine/ca/ca-next.crt'),
      /Northwind Institute/,
    )
    assert.equal(fingerprint(), root)
  })

  test('… in the sandbox of the service, and without the secrets of .env that the engine does not use', () => {
    const secret = 'GATEWAY_CAPTIVE_DATABASE_PASSWORD'
    const module = '/usr/lib/gateway-engine/seen.mjs'
    const sandbox = "grep -E '^(CapBnd|NoNewPrivs|Seccomp_filters):'"
    machine.run(`
      cp -p /etc/gateway/.env /root/.env
      printf '%s\\n' '${secret}=of-the-portal' \\
        'NODE_OPTIONS="--import=${module} --allow-fs-read=/proc/*"' >>/etc/gateway/.env
      cat >${module} <<'END'
import { readFileSync } from 'node:fs'
process.stderr.write('${secret}=' + process.env.${secret} + '\\n' + readFileSync('/proc/self/status', 'utf8'))
END`)
    const seen = machine.run(
      `gateway-engine --check 2>&1 | tee /root/seen; rm ${module}; mv /root/.env /etc/gateway/.env`,
    )
    assert.match(seen, RegExp(`^${secret}=undefined$`, 'm'))
    const ofService = machine.run(`${sandbox} /proc/$(systemctl show --property=MainPID --value gateway-engine)/status`)
    assert.match(ofService, /^NoNewPrivs:\t1$/m)
    const filters = (status: string) => Number(/^Seccomp_filters:\t(\d+)$/m.exec(status)?.[1])
    assert.ok(filters(ofService) > filters(machine.run(`${sandbox} /proc/1/status`)))
    assert.equal(machine.run(`${sandbox} /root/seen | sort -u`), ofService)
  })

  test('the jobs that update lists and groups start in their sandboxes, once they are configured', () => {
    machine.run(`
      systemctl start gateway-lists gateway-groups
      echo 'a.txt http://lists.example/a.txt' >/etc/gateway/lists.conf
      printf '[ldap]\\nservers = ["ldaps://127.0.0.1:1"]\\nbase = "dc=x"\\naccount = "a"\\n' >/etc/gateway/groups.toml
      printf '[groups]\\n"staff.txt" = "Staff"\\n' >>/etc/gateway/groups.toml
      (umask 077; echo password >/etc/gateway/secrets/ldap-password)`)
    assert.equal(machine.run('ls -d /var/lib/gateway-lists /var/lib/gateway-groups 2>/dev/null || true'), '')
    for (const job of ['gateway-lists', 'gateway-groups']) assert.throws(() => machine.run(`systemctl start ${job}`))
    assert.match(log('gateway-lists'), /^a\.txt: the address must begin with https:\/\/$/m)
    assert.match(log('gateway-groups'), /^no server of the directory can be used; .* 127\.0\.0\.1:1: .*ECONNREFUSED/m)
    machine.run('rm /etc/gateway/lists.conf /etc/gateway/groups.toml /etc/gateway/secrets/ldap-password')
  })

  test('the timers back up and prune: without keys or an age they fail, with them the archives are encrypted', () => {
    assert.throws(() => machine.run('systemctl start gateway-engine-backup'))
    assert.match(log('gateway-engine-backup'), /backup\.recipients is missing/)
    assert.throws(() => machine.run('systemctl start gateway-prune'))
    machine.run(`
      age-keygen --output /root/gateway-backup.key 2>/dev/null
      age-keygen -y /root/gateway-backup.key >/etc/gateway/backup.recipients
      echo BACKUP_COUNT=2 >>/etc/gateway/.env
      install -d -o gateway-lists -g gateway-lists /var/lib/gateway-lists
      echo listed.example >/var/lib/gateway-lists/downloaded.txt
      chown gateway-lists:gateway-lists /var/lib/gateway-lists/downloaded.txt
      printf '[[lists]]\\nname = "downloaded"\\npath = "/var/lib/gateway-lists/downloaded.txt"\\n' >>/etc/gateway/engine/policy.toml
      printf '[[rules]]\\nname = "downloaded"\\nlists = ["downloaded"]\\naction = "block"\\n' >>/etc/gateway/engine/policy.toml
      install -d /etc/systemd/system/gateway-portal.service.d
      printf '[Service]\\nIPAddressAllow=any\\n' >/etc/systemd/system/gateway-portal.service.d/override.conf
      systemctl enable gateway-lists.timer
      ${JOURNAL}
      for attempt in 1 2; do systemctl start gateway-engine-backup gateway-portal-backup; sleep 1; done
      ${guide(/PRUNE_OLDER_THAN/)}
      systemctl start gateway-prune`)
    secrets = digests()
    key = readFileSync(machine.path('root/gateway-backup.key'), 'utf8')
    const archives = machine.run("cd /var/backups/gateway && stat --format '%n %a %U' *").trim().split('\n')
    const kinds = archives.map((line) => line.replace(/-\d{8}T\d{6}Z/, ''))
    const [engine, portal] = ['engine', 'portal'].map((name) => `gateway-${name}.tar.gz.age 600 root`)
    assert.deepEqual(kinds, [engine, engine, portal, portal])
    assert.match(machine.run('head -c 21 /var/backups/gateway/gateway-engine-*'), /age-encryption\.org/)
    assert.equal(
      machine.run('ls -A /var/cache/gateway-engine-backup /var/cache/gateway-portal-backup | grep db || true'),
      '',
    )
    assert.equal(acceptances(), 1)
  })

  test('a second machine with the backup is the same gateway for devices', async (t) => {
    const second = await startMachine(PACKAGES_BASE, join(PACKAGES_WORK, 'second'))
    try {
      second.copyIn(...debs(PACKAGES_BUILT), ...debs(machine.path('var/backups/gateway')))
      second.copyIn(machine.path('root/gateway-backup.key'))
      second.copyIn(machine.path('var/lib/gateway-engine/ca/ca.crt'))
      second.run(`apt-get install --yes ${basenames(PACKAGES_BUILT)}; ${KNOWN_NAMES}`)
      const before = second.run("find /etc/gateway /var/lib -name '*gateway*' -o -name portal | sort")
      assert.throws(
        () => second.run(guide(/gatewayctl restore/).replace('gateway-backup.key', 'ca.crt')),
        /nothing was changed/,
      )
      assert.equal(second.run("find /etc/gateway /var/lib -name '*gateway*' -o -name portal | sort"), before)
      const said = second.run(`exec 2>&1\nset +e\n${guide(/gatewayctl restore/)}\ntrue`)
      t.diagnostic(said)
      assert.match(said, /^disables +nginx\.service, squid\.service$/m)
      for (const check of ['portal', 'engine', 'engine lists', 'proxy proxy-ca', 'policy', 'name', 'timers']) {
        assert.match(said, RegExp(`^${check} +ok `, 'm'))
      }
      assert.match(said, /no problems; rules: 13\b/)
      const timers = ['engine-backup', 'lists', 'portal-backup', 'prune'].map((name) => `gateway-${name}.timer`)
      assert.deepEqual(
        second
          .run(`systemctl is-active ${timers.join(' ')}`)
          .trim()
          .split('\n'),
        timers.map(() => 'active'),
      )
      assert.equal(owners(second), owners(machine))
      second.run('test -s /var/lib/gateway-engine/engine/journal.db')
      second.run('test -s /var/lib/gateway-engine/engine/accepted-policy.toml.lists/lists.json')
      const first = machine
      machine = second
      try {
        assertNothingLost()
        assert.match(machine.run('gatewayctl engine why --page http://listed.example/'), /\/blocked\?p=/)
        assert.match(machine.run('systemctl show --property=DropInPaths gateway-portal'), /override\.conf/)
        // A device trusts only what it has.
        machine.run('curl -sS --fail --cacert /root/ca.crt https://portal.example/healthz')
        machine.run('gatewayctl portal status && gatewayctl portal doctor && gatewayctl engine status')
      } finally {
        machine = first
      }
      // Squid waits for DNS servers, which this machine does not have.
      const failing = said.match(/^\S+(?=.* failing )/gm) ?? []
      assert.deepEqual([...new Set(failing)], ['proxy'])
    } finally {
      await second.stop()
    }
    assert.ok(key.includes('AGE-SECRET-KEY-'))
  })

  test('removing stops the services and keeps everything; purging keeps ledger, keys, policy and backups', () => {
    // What systemctl edit has written stays as well.
    machine.run('rm -r /etc/systemd/system/gateway-portal.service.d')
    machine.run(`apt-get remove --yes ${NAMES.join(' ')}`)
    assert.deepEqual([...new Set(isActive())], ['inactive'])
    assert.equal(digests(), secrets)
    install(PACKAGES_BUILT)
    machine.run(`systemctl start ${SERVICES}`)
    assertNothingLost()
    machine.run('apt-get purge --yes gateway-portal')
    machine.run('test -e /etc/gateway/.env -a -e /etc/gateway/secrets/shared-secret -a ! -e /etc/gateway/portal.unit')
    assert.deepEqual(isActive('gateway-engine gateway-proxy'), ['active', 'active'])
    const said = machine.run('apt-get purge --yes gateway-engine gateway-squid 2>&1')
    const kept = ['/etc/gateway/engine', '/var/lib/gateway-engine', '/var/lib/gateway-lists', '/var/backups/gateway']
    for (const path of kept) assert.ok(said.includes(`${path} stays; remove it yourself`), path)
    machine.run(`
      test -s /var/lib/portal/portal.db -a -s /var/lib/gateway-engine/engine/ca.key
      test -s /etc/gateway/engine/policy.toml
      test ! -e /etc/gateway/.env -a ! -e /etc/gateway/secrets -a ! -e /usr/lib/gateway-engine`)
    assert.equal(machine.run("find /etc/systemd/system /usr/lib/systemd -name 'gateway-*'"), '')
    assert.equal(fingerprint(), root)
  })

  test('after a purge, a new installation has the same root and ledger, and a new secret', () => {
    install(PACKAGES_BUILT)
    machine.run(`${CONFIGURE}\nsystemctl enable --now ${SERVICES}`)
    waitUntilServing()
    assert.equal(fingerprint(), root)
    assert.equal(acceptances(), 1)
    assert.notEqual(digests(), secrets)
  })
})
