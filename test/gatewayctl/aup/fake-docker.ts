// A minimal container engine: it keeps its state in files, and its container is a real portal process. It supports the
// `docker` commands that gatewayctl uses, and can kill gatewayctl at the Nth call (KILL_AT).
import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { variables } from '../../../src/gatewayctl/deployment/env-file.ts'
import { COMPILE_CACHE } from '../../support/compile-cache.ts'

const PORTAL = fileURLToPath(new URL('../../../src/portal/main.ts', import.meta.url))
const DEFECT = new URL('defective-image.ts', import.meta.url).href
const ID = 'f'.repeat(64)

const { ENGINE_STATE: state = '', GATEWAY_HOME: home = '', KILL_AT } = process.env
const inState = (name: string) => join(state, name)
const stored = (name: string) => (existsSync(inState(name)) ? readFileSync(inState(name), 'utf8').trim() : undefined)

const words = process.argv.slice(2)
appendFileSync(inState('calls'), `${words.map((word) => word.slice(0, 40).replaceAll('\n', ' ')).join(' ')}\n`)
if (`${stored('calls')?.split('\n').length}` === KILL_AT) {
  process.kill(Number(readFileSync(join(home, '.gatewayctl', 'lock'), 'utf8')), 'SIGKILL')
}

const [first, ...rest] = words
// The client itself is installed.
if (existsSync(inState('down')) && words.join(' ') !== 'compose version') {
  process.stderr.write('Cannot connect to the Docker daemon\n')
  process.exitCode = 1
} else if (first === 'compose') await compose(rest[0] === '--file' ? rest[2] : rest[0])
else if (first === 'inspect') process.stdout.write(JSON.stringify([inspected()]))
else if (first === 'logs') process.stdout.write(stored('log') ?? '')
else if (first === 'exec') exitLike(inContainer(rest))
else process.exitCode = 64

function exitLike({ status }: SpawnSyncReturns<Buffer>): void {
  process.exitCode = status ?? 1
}

async function compose(word: string | undefined): Promise<void> {
  if (word === 'version') return
  if (word === 'ps') {
    if (stored('pid') !== undefined) process.stdout.write(`${ID}\n`)
    return
  }
  if (word !== 'up') process.exit(64)
  await stop()
  const environment = { ...variables(readFileSync(join(home, '.env'), 'utf8')) }
  writeFileSync(inState('environment.json'), JSON.stringify(environment))
  writeFileSync(inState('started'), `${process.hrtime.bigint()}`)
  rmSync(inState('exit-code'), { force: true })
  const log = openSync(inState('log'), 'w')
  const command = [process.execPath, '--import', DEFECT, PORTAL]
  const container = spawn('/bin/sh', ['-c', '"$@"; echo $? > "$EXIT_CODE"', 'sh', ...command], {
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...COMPILE_CACHE, ...environment, EXIT_CODE: inState('exit-code') },
  })
  writeFileSync(inState('pid'), `${container.pid}`)
  container.unref()
}

async function stop(): Promise<void> {
  const pid = Number(stored('pid'))
  if (!pid) return
  try {
    process.kill(-pid, 'SIGKILL')
    for (let left = 500; left > 0; left--) {
      process.kill(-pid, 0)
      await sleep(5)
    }
  } catch {
    // It has exited.
  }
}

/** `exec --env NAME=VALUE ID node WORDS…`, in a container whose own Node may read one more folder. */
function inContainer([option, setting = '', , , ...words]: readonly string[]) {
  const [name = '', value] = setting.split('=')
  const said = option === '--env' ? { [name]: value } : {}
  const env = { NODE_OPTIONS: '--allow-fs-read=/granted/*', ...said }
  return spawnSync(process.execPath, words, { env, stdio: 'inherit' })
}

function inspected() {
  const exitCode = stored('exit-code')
  return {
    Id: ID,
    Name: '/gateway-portal-1',
    RestartCount: 0,
    State: {
      Status: exitCode === undefined ? 'running' : 'exited',
      Running: exitCode === undefined,
      ExitCode: Number(exitCode ?? 0),
      StartedAt: stored('started'),
    },
    Config: {
      Image: 'gateway/captive-portal',
      Env: Object.entries(JSON.parse(stored('environment.json') ?? '{}')).map(([name, value]) => `${name}=${value}`),
    },
  }
}
