// `portal aup enable` and `portal aup disable`: switches between the operator's policy and the built-in one.
import { basename } from 'node:path'
import type { Command } from 'commander'
import { createCommand } from '../../command.ts'
import type { Context } from '../../context.ts'
import { GATEWAY_HOME } from '../../deployment/installation.ts'
import { Failure } from '../../failure.ts'
import { readIfExists } from '../../files/atomic-file.ts'
import { makeChange, report } from './change.ts'
import { changeGateway, withSteady } from './gateway.ts'
import { isEnabled } from './texts.ts'

const DETAILS = `
The portal is recreated and watched. When it does not stay up, switch and
container are put back as they were.
${GATEWAY_HOME}`

export function enableAupCommand(context: Context): Command {
  return switching(context, 'enable', true, 'Turns your policy on.')
}

export function disableAupCommand(context: Context): Command {
  return switching(context, 'disable', false, 'Shows the built-in policy again; your text stays.')
}

function switching(context: Context, name: string, enabled: boolean, purpose: string): Command {
  const command = createCommand(context, name, {
    purpose,
    details: DETAILS,
    examples: [`gatewayctl portal aup ${name}`],
  })
  return withSteady(command).action(async ({ steady }: { readonly steady: number }) => {
    await changeGateway(context, async ({ installation, texts }) => {
      const state = enabled ? 'on' : 'off'
      if (enabled && (await readIfExists(texts.path())) === undefined) {
        throw new Failure(
          `your own policy, ${basename(texts.path())}, is missing; write it with "gatewayctl portal aup edit"`,
        )
      }
      if (isEnabled(installation) === enabled) return report(context, `Your own policy is already ${state}.`)
      await makeChange(context, installation, texts, { enabled, steadySeconds: steady })
      report(context, `Your own policy is ${state}.`)
    })
  })
}
