// `portal preview`: every page with the operator's configuration. It starts the portal's own preview program:
// gatewayctl never imports the portal.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Environment } from '../../settings/reading.ts'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { findInstallation, isPortalInContainer } from '../deployment/installation.ts'
import { PORTAL_VARIABLES, portalVariables } from '../deployment/portal-variables.ts'
import { Failure } from '../failure.ts'
import { findTexts } from './aup/texts.ts'

const PREVIEW = fileURLToPath(new URL('../../portal/preview/main.ts', import.meta.url))

export function previewCommand(context: Context): Command {
  return createCommand(context, 'preview', {
    purpose: 'Serves every page in every state on loopback, until Ctrl-C.',
    details: `
It reads the portal's variables for brand, palette, languages, operator, support
and policy, and needs neither engine nor database nor secrets. It uses sample
data: acceptances are not recorded.
${PORTAL_VARIABLES}`,
    examples: ['gatewayctl portal preview', 'gatewayctl portal preview --port 8080'],
  })
    .addOption(new Option('--port <port>', 'where to listen; otherwise a free port').argParser(parsePort))
    .action(async ({ port }: { readonly port?: number }) => {
      if (!existsSync(PREVIEW)) throw new Failure('this installation does not include the preview')
      const args = port === undefined ? [] : ['--port', `${port}`]
      const child = spawn(process.execPath, [PREVIEW, ...args], {
        env: previewVariables(context.env),
        stdio: ['ignore', 'inherit', 'inherit'],
      })
      // A signal to this process alone must end the child, too.
      process.once('exit', () => child.kill('SIGTERM'))
      const [status] = await once(child, 'exit')
      if (status !== 0) throw new Failure('the preview has exited', typeof status === 'number' ? status : undefined)
    })
}

function previewVariables(env: Environment): NodeJS.ProcessEnv {
  const variables = portalVariables(env)
  if (env.GATEWAY_CAPTIVE_AUP_PATH !== undefined || !isPortalInContainer(env)) return { ...variables }
  // The container's path of policy and logo is not this host's.
  return { ...variables, GATEWAY_CAPTIVE_AUP_PATH: findTexts(findInstallation(env)).path() }
}

function parsePort(text: string): number {
  const port = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65_535)) throw new InvalidArgumentError('It must be a whole number from 1 to 65535.')
  return port
}
