// A domain controller: Samba's, with its own DNS, in a network namespace of its own. SCHOOL.EXAMPLE, its domain SCHOOL.
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { makeServed } from '../../test/support/certificates.ts'
import { type Cleanup, inReverse } from '../../test/support/cleanup.ts'
import { skipUnless } from '../../test/support/requirement.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { until } from '../../test/support/until.ts'

export const skipWithoutSamba = skipUnless(
  ['/usr/bin/samba-tool', '/usr/sbin/samba'].every((path) => existsSync(path)),
  'needs a domain controller: apt-get install samba samba-ad-dc samba-ad-provision samba-dsdb-modules',
)

const HOST = 'dc1.school.example'
/** Of its administrator. */
export const ADMINISTRATOR_PASSWORD = 'Of-the-administrator-1'

export interface DomainController {
  /** IPv4. */
  readonly address: string
  /** The CA of its LDAPS certificate, in PEM. */
  readonly ca: string
  /** Its name, for `ip netns`. */
  readonly namespace: string
  /** Runs Python in which `samdb` is its directory. */
  edit(program: string): void
  /** Runs a command on it, as its administrator would. */
  run(command: string): void
  /** Ends it at once. */
  stop(): Promise<void>
  start(): Promise<void>
}

/**
 * Requires `skipWithoutSamba` to be false, and a network namespace with mounts of its own.
 * @param own the address of this machine in the network 192.0.2.0/24
 */
export async function startDomainController(test: Cleanup, own: string): Promise<DomainController> {
  const t = inReverse(test)
  const folder = temporaryFolder(t)
  const [address, namespace] = ['192.0.2.2', `dc${process.pid}`]
  const ip = (...words: readonly string[]) => execFileSync('ip', words, { timeout: 10_000, stdio: 'pipe' })
  ip('netns', 'add', namespace)
  t.after(async () => ip('netns', 'delete', namespace))
  ip('link', 'add', 'to-dc', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace)
  ip('address', 'add', `${own}/24`, 'dev', 'to-dc')
  ip('link', 'set', 'to-dc', 'up')
  ip('-n', namespace, 'address', 'add', `${address}/24`, 'dev', 'eth0')
  for (const device of ['lo', 'eth0']) ip('-n', namespace, 'link', 'set', device, 'up')

  const { ca, leaf } = makeServed(HOST)
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content)
    chmodSync(join(folder, name), 0o600)
    return join(folder, name)
  }
  const home = join(folder, 'home')
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }
  mkdirSync(home)
  const options = [
    ...[`tls certfile=${file('leaf.pem', leaf.certificate)}`, `tls keyfile=${file('leaf.key', leaf.key)}`],
    ...[`tls cafile=${file('ca.pem', ca.certificate)}`, 'disable netbios=yes'],
    // Without its file server.
    'server services=rpc, ldap, cldap, kdc, dns',
    ...[`pid directory=${home}`, `ncalrpc dir=${join(home, 'ncalrpc')}`, `log file=${join(folder, 'smbd.log')}`],
  ].map((option) => `--option=${option}`)
  const inside = (words: readonly string[], input?: string) =>
    execFileSync('ip', ['netns', 'exec', namespace, ...words], {
      env,
      timeout: 120_000,
      stdio: 'pipe',
      ...(input !== undefined && { input }),
    })
  inside([
    ...['samba-tool', 'domain', 'provision', '--realm=SCHOOL.EXAMPLE', '--domain=SCHOOL', '--server-role=dc'],
    ...['--dns-backend=SAMBA_INTERNAL', `--adminpass=${ADMINISTRATOR_PASSWORD}`, `--targetdir=${home}`],
    ...['--host-name=dc1', `--host-ip=${address}`, ...options],
  ])
  const conf = join(home, 'etc', 'smb.conf')
  // Where a controller has its configuration, this machine has that of another workgroup, or none.
  Object.assign(env, { SMB_CONF_PATH: conf })
  // Registers its own services, as the part of the server does that is omitted.
  inside(['samba_spnupdate', `--configfile=${conf}`])
  const log = join(folder, 'samba.log')
  let child: ChildProcess | undefined

  async function start(): Promise<void> {
    const output = openSync(log, 'a')
    // A namespace of processes, which end with the first: Samba has dozens.
    const words = ['unshare', '--pid', '--fork', '--kill-child', 'samba', '--interactive', `--configfile=${conf}`]
    const started = spawn('ip', ['netns', 'exec', namespace, ...words], {
      env,
      // Samba ends when its standard input does.
      stdio: ['pipe', output, output],
    })
    child = started
    closeSync(output)
    await until(
      async () => {
        assert.equal(started.exitCode, null, readFileSync(log, 'utf8'))
        const ports = await Promise.all([53, 88, 389, 636].map((port) => accepts(address, port)))
        return ports.every(Boolean)
      },
      60,
      200,
    )
  }
  async function stop(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  t.after(stop)
  process.on('exit', () => child?.kill('SIGKILL'))
  await start()
  return {
    ...{ address, ca: ca.certificate, namespace, start, stop },
    edit: (program) => void inside(['/usr/bin/python3', '-'], `${OPEN_DIRECTORY(conf)}\n${program}`),
    run: (command) => void inside(['sh', '-ec', command], `${ADMINISTRATOR_PASSWORD}\n`),
  }
}

const OPEN_DIRECTORY = (conf: string) => `from samba.auth import system_session
from samba.param import LoadParm
from samba.samdb import SamDB
lp = LoadParm()
lp.load('${conf}')
samdb = SamDB(session_info=system_session(), lp=lp)
`

async function accepts(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(1_000) })
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
