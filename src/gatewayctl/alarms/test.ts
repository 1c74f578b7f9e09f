// `alarms test`: sends a test by mail and webhook, and prints what the other side answered.
import type { Command } from 'commander'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { EXIT_MISUSED, Failure } from '../failure.ts'
import { printable } from '../terminal/printable.ts'
import { channelsOf, deliver } from './deliver.ts'
import { testMessage } from './message.ts'
import { gatewayName, SECTION, type SectionOptions, sectionPath, withSectionOptions } from './options.ts'
import { readSection } from './section.ts'

export function testAlarmsCommand(context: Context): Command {
  const command = createCommand(context, 'test', {
    purpose: 'Sends a test by mail and webhook, and prints what the other side answers.',
    details: `
Run it as root, who can read the password.
${SECTION}`,
    examples: ['gatewayctl alarms test', 'gatewayctl alarms test --config policy.toml'],
  })
  return withSectionOptions(command).action(async (options: SectionOptions) => {
    const path = sectionPath(context, options)
    const reading = await readSection(path)
    if ('problems' in reading) throw new Failure(reading.problems.join('\n'), EXIT_MISUSED)
    const { settings } = reading
    const message = testMessage(gatewayName(context), context.clock())
    const results = await Promise.all(
      channelsOf(settings).map(async (channel) => {
        try {
          const answer = await deliver(channel, message, { path, settings, options })
          context.stdout.write(`Sent by ${channel}: ${printable(answer)}\n`)
          return true
        } catch (error) {
          if (!(error instanceof Failure)) throw error
          context.stderr.write(`error: not sent by ${channel}: ${printable(error.message)}\n`)
          return false
        }
      }),
    )
    if (results.includes(false)) throw new Failure()
  })
}
