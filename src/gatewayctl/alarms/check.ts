// `alarms check`: one round of the watcher, or one every few minutes where no timer starts it.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseHostAndPort } from '../../network/host-and-port.ts'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { exitOf, Failure } from '../failure.ts'
import type { Connect } from '../portal/doctor/deployment.ts'
import { printable, printableLines } from '../terminal/printable.ts'
import { parseMinutes } from '../time-argument.ts'
import { SECTION, stateOption, withSectionOptions } from './options.ts'
import { type RoundOptions, type RoundResult, runRound } from './round.ts'

interface CheckOptions extends RoundOptions {
  /** Minutes. */
  readonly every?: number
}

const MAXIMUM_MINUTES = 60

export function checkAlarmsCommand(context: Context): Command {
  const command = createCommand(context, 'check', {
    purpose: 'Checks the whole gateway once, and sends the alarms that are due.',
    details: `
A cause is sent when two rounds in a row have found it, then once an hour while
it lasts, and once more when it has ended. What cannot be sent is tried again in
the next round, and the exit code is 1. gateway-alarms.timer runs it.
${SECTION}`,
    examples: ['gatewayctl alarms check', 'gatewayctl alarms check --every 2m'],
  })
  return withSectionOptions(command)
    .addOption(stateOption())
    .addOption(
      new Option('--connect-https <host:port>', 'where the terminator is, whatever its name resolves to').argParser(
        parseConnect,
      ),
    )
    .addOption(new Option('--proxy <host:port>', 'where the proxy is').argParser(parseConnect))
    .addOption(
      new Option('--every <duration>', 'go on, with one round in this time: 2m').argParser((text) =>
        parseMinutes(text, MAXIMUM_MINUTES),
      ),
    )
    .action(async ({ every, ...options }: CheckOptions) => {
      if (every === undefined) {
        report(context, await runRound(context, options))
        return
      }
      for (;;) {
        await roundOrError(context, options)
        await sleep(every * 60_000)
      }
    })
}

function parseConnect(text: string): Connect {
  const connect = parseHostAndPort(text)
  if (connect === undefined) throw new InvalidArgumentError('It must be HOST:PORT, an IPv6 address in brackets.')
  return connect
}

/** The next round may succeed. */
async function roundOrError(context: Context, options: RoundOptions): Promise<void> {
  try {
    report(context, await runRound(context, options))
  } catch (error) {
    const { message } = exitOf(error)
    if (message !== undefined) context.stderr.write(`error: ${printableLines(message)}\n`)
  }
}

/** @throws {Failure} where something could not be sent */
function report({ stdout, stderr }: Context, { causes, sent, faults }: RoundResult): void {
  for (const { id, summary } of causes) stdout.write(`${printable(id)}: ${printable(summary)}\n`)
  if (causes.length === 0) stdout.write('Nothing is wrong.\n')
  for (const fault of faults) stderr.write(`warning: ${printableLines(fault)}\n`)
  for (const { channel, answer } of sent.filter(({ isFailed }) => !isFailed)) {
    stdout.write(`Sent by ${channel}: ${printable(answer)}\n`)
  }
  const failed = sent.filter(({ isFailed }) => isFailed)
  for (const { channel, answer } of failed) stderr.write(`error: not sent by ${channel}: ${printable(answer)}\n`)
  if (failed.length > 0) throw new Failure()
}
