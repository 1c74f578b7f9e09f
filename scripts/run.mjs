// Runs a program of this repository with the Node that package.json pins, after installing what is missing.
// It is plain JavaScript because it is the only file that the system's Node (18 or later) has to run.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const lockfile = join(root, 'package-lock.json')
const installedLock = join(root, 'node_modules', '.installed-package-lock.json')
/** Lock file with the installing process: two concurrent installations would destroy each other's files. */
const installing = join(root, '.installing')

installWhatIsMissing()
runPinned(process.argv.slice(2))

function installWhatIsMissing() {
  if (isInstalled()) return
  while (!becomeInstaller()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250)
  try {
    if (!isInstalled()) install()
  } finally {
    rmSync(installing, { force: true })
  }
}

function isInstalled() {
  return existsSync(installedLock) && readFileSync(installedLock, 'utf8') === readFileSync(lockfile, 'utf8')
}

/** @returns whether this process may install; otherwise another process is installing */
function becomeInstaller() {
  try {
    writeFileSync(installing, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (!isInstallerAlive()) rmSync(installing, { force: true })
    return false
  }
}

function isInstallerAlive() {
  try {
    const pid = Number(readFileSync(installing, 'utf8'))
    // Zero: its process id has not been written yet.
    if (pid !== 0) process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function install() {
  process.stderr.write('Installing dependencies …\n')
  const npm = process.env.npm_execpath
  const [command, args] = npm ? [process.execPath, [npm, 'ci']] : ['npm', ['ci']]
  const result = spawnSync(command, [...args, '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: !npm && process.platform === 'win32',
  })
  if (result.status !== 0) {
    const why = result.error?.code === 'ENOENT' ? 'npm is missing (Debian: apt-get install npm)' : 'npm ci failed'
    process.stderr.write(`${why}; nothing was started.\n`)
    rmSync(installing, { force: true })
    process.exit(1)
  }
  writeFileSync(installedLock, readFileSync(lockfile, 'utf8'))
}

/** @returns the path of the pinned Node binary, or of the running Node if that one does not start and this one is new enough */
function startableNode() {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const wanted = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const name = Object.keys(optionalDependencies).find((candidate) => candidate.endsWith(`-${wanted}`))
  const file = name && join(root, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  const major = Object.values(optionalDependencies)[0].split('.')[0]
  const why = file && existsSync(file) ? whyNotStartable(file) : `No npm package has Node ${major} for ${wanted}.`
  if (why === undefined) return file
  if (Number(process.versions.node.split('.')[0]) >= Number(major)) return process.execPath
  process.stderr.write(`${why}\nNothing was started. An installed Node ${major} or later would do as well.\n`)
  process.exit(1)
}

/** @returns what the operator has to know or install, if this Node does not start */
function whyNotStartable(file) {
  const { status, error, stderr } = spawnSync(file, ['--version'], { encoding: 'utf8' })
  if (status === 0) return undefined
  const [, library] = /([^ :]+): cannot open shared object file/.exec(stderr ?? '') ?? []
  if (library !== undefined) {
    return `Node needs the library ${library}, which is missing. On Debian, as root: apt-get install libatomic1 libstdc++6`
  }
  return `${file} does not start: ${(error?.message ?? stderr).trim()}`
}

function runPinned(args) {
  const node = startableNode()
  const env = { ...process.env, PATH: `${dirname(node)}${process.platform === 'win32' ? ';' : ':'}${process.env.PATH}` }
  const isTest = args[0] === '--test'
  // Only for tests, which start hundreds of programs: benchmarks and operators' commands start as usual.
  if (isTest) env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'compiled')
  // One process in thousands never ends, because a compiling thread waits for the main thread, which waits for it:
  // https://github.com/nodejs/node/issues/54918. One would stop the whole run, so test files compile on their main thread.
  const flags = isTest ? ['--single-threaded', '--import', './test/support/exit.ts'] : []
  const child = spawn(node, [...flags, ...args], { cwd: root, stdio: 'inherit', env })
  // A terminal's Ctrl-C reaches the child as well; this process only waits for its exit.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
}
