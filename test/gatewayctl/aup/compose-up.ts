// `docker compose up` of docker.sh: ends the portal that runs, and starts one with the variables of `.env`.
import { spawn } from 'node:child_process'
import { existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { variables } from '../../../src/gatewayctl/deployment/env-file.ts'
import { COMPILE_CACHE } from '../../support/compile-cache.ts'

const PORTAL = fileURLToPath(new URL('../../../src/portal/main.ts', import.meta.url))
const DEFECT = new URL('defective-image.ts', import.meta.url).href

const { ENGINE_STATE: state = '', GATEWAY_HOME: home = '' } = process.env
const inState = (name: string) => join(state, name)

await stop()
const environment = variables(readFileSync(join(home, '.env'), 'utf8'))
const Env = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
writeFileSync(inState('config.json'), JSON.stringify({ Image: 'gateway/captive-portal', Env }))
writeFileSync(inState('started'), `${process.hrtime.bigint()}`)
rmSync(inState('exit-code'), { force: true })
const log = openSync(inState('log'), 'w')
const run = '"$@"; echo $? > "$EXIT_CODE.unfinished"; mv "$EXIT_CODE.unfinished" "$EXIT_CODE"'
const container = spawn('/bin/sh', ['-c', run, 'sh', process.execPath, '--import', DEFECT, PORTAL], {
  detached: true,
  stdio: ['ignore', log, log],
  env: { ...COMPILE_CACHE, ...environment, EXIT_CODE: inState('exit-code') },
})
writeFileSync(inState('pid'), `${container.pid}`)
container.unref()

async function stop(): Promise<void> {
  const pid = existsSync(inState('pid')) ? Number(readFileSync(inState('pid'), 'utf8')) : 0
  if (pid === 0) return
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
