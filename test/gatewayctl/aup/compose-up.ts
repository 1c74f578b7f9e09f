// `docker compose up` of docker.sh: ends the portal that runs, and starts one with the variables of `.env`.
import { spawn } from 'node:child_process'
import { existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnvFile } from '../../../src/gatewayctl/deployment/env-file.ts'
import { COMPILE_CACHE } from '../../support/compile-cache.ts'
import { until } from '../../support/until.ts'

const PORTAL = fileURLToPath(new URL('../../../src/portal/main.ts', import.meta.url))
const DEFECT = new URL('defective-image.ts', import.meta.url).href

const { ENGINE_STATE: state = '', GATEWAY_HOME: home = '' } = process.env
const inState = (name: string) => join(state, name)

await stop()
const environment = parseEnvFile(readFileSync(join(home, '.env'))).values
const Env = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
writeFileSync(inState('config.json'), JSON.stringify({ Image: 'gateway/captive-portal', Env }))
writeFileSync(inState('started'), `${process.hrtime.bigint()}`)
for (const name of ['portal', 'exit-code']) rmSync(inState(name), { force: true })
const log = openSync(inState('log'), 'w')
const run =
  '"$@" & echo $! > "$PORTAL_PID"; wait $!; echo $? > "$EXIT_CODE.unfinished"; mv "$EXIT_CODE.unfinished" "$EXIT_CODE"'
const container = spawn('/bin/sh', ['-c', run, 'sh', process.execPath, '--import', DEFECT, PORTAL], {
  detached: true,
  stdio: ['ignore', log, log],
  env: { ...COMPILE_CACHE, ...environment, PORTAL_PID: inState('portal'), EXIT_CODE: inState('exit-code') },
})
writeFileSync(inState('pid'), `${container.pid}`)
container.unref()

/** Kills the portal, and waits for the shell that records its exit code. Whether the shell's process group exists would say
 *  nothing: its leader is a zombie for as long as process 1 leaves it. */
async function stop(): Promise<void> {
  if (!existsSync(inState('pid'))) return
  await until(() => {
    if (existsSync(inState('exit-code'))) return true
    const portal = existsSync(inState('portal')) ? Number(readFileSync(inState('portal'), 'utf8')) : 0
    try {
      if (portal > 1) process.kill(portal, 'SIGKILL')
    } catch {
      // It has exited.
    }
    return false
  })
  rmSync(inState('pid'))
}
