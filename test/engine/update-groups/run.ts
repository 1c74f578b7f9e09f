// `engine update-groups` with the permissions of its unit.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { COMPILE_CACHE } from '../../support/compile-cache.ts'
import { nodeFlags } from '../../support/node-flags.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

export interface Conf {
  readonly servers: readonly string[]
  readonly base: string
  readonly account: string
  readonly password: string
  readonly attribute?: string
  readonly caFile?: string
  /** By the name of the file. */
  readonly groups: Readonly<Record<string, string>>
}

export function groupsFolder(t: TestContext) {
  const home = temporaryFolder(t)
  const folder = join(home, 'files')
  mkdirSync(folder)
  const conf = join(home, 'groups.toml')
  async function run(...args: readonly string[]) {
    const flags = nodeFlags({ read: [home], write: [folder] })
    const child = spawn(process.execPath, [...flags, 'src/engine/main.ts', 'update-groups', ...args], {
      env: { PATH: process.env.PATH, ...COMPILE_CACHE },
      timeout: 60_000,
      killSignal: 'SIGKILL',
    })
    const said = { text: '' }
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said.text += chunk))
    const [status] = await once(child, 'close')
    return { status, lines: said.text.trimEnd().split('\n') }
  }
  return {
    folder,
    conf,
    run,
    read: (name: string) => readFileSync(join(folder, name), 'utf8'),
    write: (name: string, text: string) => writeFileSync(join(folder, name), text),
    names: () => readdirSync(folder),
    async update({ servers, base, account, password, attribute = 'uid', caFile, groups }: Conf, ...options: string[]) {
      writeFileSync(join(home, 'password'), `${password}\n`)
      if (caFile !== undefined) writeFileSync(join(home, 'ca.pem'), readFileSync(caFile))
      const lines = [
        '[ldap]',
        `servers = ${JSON.stringify(servers)}`,
        `base = ${JSON.stringify(base)}`,
        `account = ${JSON.stringify(account)}`,
        'password_file = "password"',
        `user_attribute = "${attribute}"`,
        ...(caFile === undefined ? [] : ['ca_file = "ca.pem"']),
        '[groups]',
        ...Object.entries(groups).map(([file, group]) => `"${file}" = ${JSON.stringify(group)}`),
      ]
      writeFileSync(conf, `${lines.join('\n')}\n`)
      return await run(conf, folder, ...options)
    },
  }
}
