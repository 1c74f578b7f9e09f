// A school's domain, and the proxy's machine in it: docs/kerberos.md and docs/policy.md, with their commands as they stand there.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { blocks, ROOT } from '../../test/deploy/command-blocks.ts'
import { read as readUnit } from '../../test/deploy/units.ts'
import { type Cleanup, inReverse } from '../../test/support/cleanup.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { ADMINISTRATOR_PASSWORD, type DomainController, startDomainController } from './domain-controller.ts'

/** For `continueInNetworkNamespace`: what the commands write is seen by nobody else, and gone at the end. */
export const OWN_FILES = `mount -t tmpfs none /mnt
for folder in etc var; do
  mkdir /mnt/$folder /mnt/$folder-work
  mount -t overlay none -o lowerdir=/$folder,upperdir=/mnt/$folder,workdir=/mnt/$folder-work /$folder
done
mount -t tmpfs none /run`

/** Of the proxy's machine, as the guide has it. */
export const ADDRESS = '192.0.2.20'
export const KEYTAB = '/etc/gateway/proxy.keytab'
const GROUPS = '/var/lib/gateway-groups'
export const password = (name: string) => `Of-${name}-1234`

export interface Ended {
  readonly status: number | null
  readonly output: string
}

export interface School {
  readonly controller: DomainController
  /** The blocks of commands in docs/kerberos.md. */
  readonly guide: Readonly<Record<'dns' | 'keytab' | 'proxy' | 'trial' | 'passwords', string>>
  /** The rules that the guide shows. */
  readonly policy: string
  /** For the programs of a user who has signed in: where the tickets are. */
  environmentOf(user: string): NodeJS.ProcessEnv
  /** Runs commands of a page on the proxy's machine, as root. @returns what they print */
  paste(commands: string, environment?: NodeJS.ProcessEnv): Promise<string>
  /** Signs a user in to the domain. @param name as the user types it */
  signIn(user: string, name?: string): void
  /** Runs the unit that reads the groups. */
  updateGroups(): Promise<Ended>
  readGroup(file: string): readonly string[]
}

/** Never synchronously: the sites' DNS server is in this process. @returns all that it prints */
export async function run(
  program: string,
  words: readonly string[] = [],
  { env = process.env, input = '' }: { readonly env?: NodeJS.ProcessEnv; readonly input?: string } = {},
): Promise<Ended> {
  const child = spawn(program, words, { env, stdio: 'pipe', timeout: 60_000, killSignal: 'SIGKILL' })
  const closed = once(child, 'close')
  // It may not read it.
  child.stdin.on('error', () => {}).end(input)
  const [output, errors] = await Promise.all([textOf(child.stdout), textOf(child.stderr)])
  const [status] = await closed
  return { status, output: `${output}${errors}` }
}

/**
 * @param proxyUser the id of the user that runs the proxy
 * @param commands the blocks of commands in docs/kerberos.md
 */
export async function startSchool(test: Cleanup, proxyUser: number, commands: readonly string[]): Promise<School> {
  const t = inReverse(test)
  const folder = temporaryFolder(t)
  const controller = await startDomainController(t, ADDRESS)
  controller.edit(PEOPLE)
  writeFileSync('/etc/resolv.conf', `nameserver ${controller.address}\nsearch school.example\n`)
  writeFileSync('/etc/hosts', `127.0.0.1 localhost\n127.0.1.1 ${hostname()}\n`)
  appendFileSync('/etc/passwd', `gateway-proxy:x:${proxyUser}:${proxyUser}::/nonexistent:/usr/sbin/nologin\n`)
  appendFileSync('/etc/ssl/certs/ca-certificates.crt', controller.ca)
  mkdirSync('/etc/gateway/secrets', { recursive: true })
  mkdirSync(GROUPS)

  const [programs, credentials] = [join(folder, 'bin'), join(folder, 'credentials')]
  mkdirSync(programs)
  mkdirSync(credentials)
  const program = (name: string, script: string) =>
    writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  // What the guide installs must be here, and nothing else is installed.
  program('apt-get', 'for word; do case $word in -* | install) ;; *) dpkg -s "$word" > /dev/null ;; esac; done')
  program('systemd-ask-password', `echo ${password('gateway')}`)
  program('journalctl', ':')
  program('systemctl', `[ "$*" != 'start gateway-groups' ] || exec ${join(programs, 'gateway-groups')}`)
  program('gateway-groups', groupsUnit(credentials))
  const environment = { ...process.env, PATH: `${programs}:${process.env.PATH}` }
  const environmentOf = (user: string) => ({ ...environment, KRB5CCNAME: `FILE:${join(folder, `${user}.tickets`)}` })

  async function paste(text: string, env: NodeJS.ProcessEnv = environmentOf('administrator')): Promise<string> {
    const { status, output } = await run('/bin/sh', ['-ec', text], { env, input: `${ADMINISTRATOR_PASSWORD}\n` })
    assert.equal(status, 0, `${text}\n${output}`)
    return output
  }
  const [dns = '', keytab = '', proxy = '', trial = '', passwords = '', ...others] = commands
  assert.deepEqual(others, [])
  const [policy] = blocks('docs/kerberos.md').filter(({ language }) => language === 'toml')
  return {
    controller,
    guide: { dns, keytab, proxy, trial, passwords },
    policy: policy?.text ?? assert.fail(),
    environmentOf,
    paste,
    signIn(user, name = user) {
      execFileSync('kinit', [name], { env: environmentOf(user), input: `${password(user)}\n`, stdio: 'pipe' })
    },
    updateGroups: () => run(join(programs, 'gateway-groups')),
    readGroup: (file) => readFileSync(join(GROUPS, file), 'utf8').trim().split('\n'),
  }
}

/** The unit's command, with its credentials in a folder, and this Node and repository. */
function groupsUnit(credentials: string): string {
  const unit = readUnit('gateway-groups.service')
  const [, command = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? []
  const loaded = Array.from(
    unit.matchAll(/^LoadCredential=(.*):(.*)$/gm),
    ([, name, path]) => `cp ${path} ${credentials}/${name}`,
  )
  assert.equal(loaded.length, 2)
  const here = command
    .replace('/opt/gateway-captive-portal/bin/node', process.execPath)
    .replaceAll('/opt/gateway-captive-portal', ROOT.replace(/\/$/, ''))
    .replaceAll('%d', credentials)
  return [...loaded, `cd ${ROOT}`, `exec ${here}`].join('\n')
}

/** Of the many groups of max, his ticket has the list: some 6 KB. The pupils are in a class, and the class in the students. */
const PEOPLE = `
base = 'DC=school,DC=example'
samdb.create_ou('OU=Groups,' + base)
def user(name):
    samdb.newuser(name, 'Of-' + name + '-1234')
def group(name, members):
    samdb.newgroup(name, groupou='OU=Groups')
    samdb.add_remove_group_members(name, members, add_members_operation=True)
samdb.transaction_start()
for name in ['gateway', 'mia', 'noah', 'ada', 'max', 'zoé.müller', 'eve', 'finn', 'lea', 'tim']:
    user(name)
group('Class 7b', ['mia', 'zoé.müller'])
group('Students', ['noah', 'max', 'eve', 'finn', 'Class 7b'])
group('Teachers', ['ada', 'lea'])
group('Staff', ['tim', 'Teachers'])
for number in range(400):
    group('Project %d' % number, ['max'])
samdb.transaction_commit()
`
