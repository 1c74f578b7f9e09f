// `portal aup enable` and `portal aup disable`: the operator's policy or the built-in one, and no text touched.
import { basename } from 'node:path'
import type { Command } from 'commander'
import { verb } from '../../command.ts'
import type { World } from '../../context.ts'
import { GATEWAY_HOME } from '../../deployment/installation.ts'
import { Failure } from '../../failure.ts'
import { readWhole } from '../../files/atomic-file.ts'
import { makeChange, say } from './change.ts'
import { changing, withSteady } from './gateway.ts'
import { isEnabled } from './texts.ts'

const DETAILS = `
The portal is recreated and watched. When it does not stay up, switch and
container are put back as they were.
${GATEWAY_HOME}`

export function enableAup(world: World): Command {
  return switching(world, 'enable', true, 'Turns the policy of your own on, as it is.')
}

export function disableAup(world: World): Command {
  return switching(world, 'disable', false, 'Goes back to the built-in policy; your text stays.')
}

function switching(world: World, name: string, enabled: boolean, purpose: string): Command {
  const command = verb(world, name, { purpose, details: DETAILS, examples: [`gatewayctl portal aup ${name}`] })
  return withSteady(command).action(async ({ steady }: { readonly steady: number }) => {
    await changing(world, async ({ installation, texts }) => {
      const state = enabled ? 'on' : 'off'
      if (enabled && (await readWhole(texts.path())) === undefined) {
        throw new Failure(
          `there is no text of your own, ${basename(texts.path())}; write one with "gatewayctl portal aup edit"`,
        )
      }
      if (isEnabled(installation) === enabled) return say(world, `The policy of your own is ${state} already.`)
      await makeChange(world, installation, texts, { enabled, steadySeconds: steady })
      say(world, `The policy of your own is ${state}.`)
    })
  })
}
