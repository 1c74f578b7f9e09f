// `portal aup show`: prints the policy.
import type { Command } from 'commander'
import type { Locale } from '../../../settings/sections/locales.ts'
import { createCommand } from '../../command.ts'
import type { Context } from '../../context.ts'
import { Failure } from '../../failure.ts'
import { readIfExists } from '../../files/atomic-file.ts'
import { printableLines } from '../../terminal/printable.ts'
import { findGateway, withLocale } from './gateway.ts'
import { textOf } from './texts.ts'

export function showAupCommand(context: Context): Command {
  const command = createCommand(context, 'show', {
    purpose: 'Prints the Markdown of your policy.',
    details: `
It prints the policy even when it is off: unchanged in a pipe, with invisible
characters escaped on a terminal.`,
    examples: ['gatewayctl portal aup show', 'gatewayctl portal aup show --locale fr > aup.fr.md'],
  })
  return withLocale(command).action(async ({ locale }: { readonly locale?: Locale }) => {
    const { texts } = findGateway(context)
    const path = await textOf(texts, locale)
    const bytes = await readIfExists(path)
    if (bytes === undefined) {
      const option = locale === undefined ? '' : ` --locale ${locale}`
      throw new Failure(`there is no ${path}; write it with "gatewayctl portal aup edit${option}"`)
    }
    context.stdout.write(context.stdout.isTTY ? printableLines(bytes.toString()) : bytes)
  })
}
