// `engine diff`: what another policy would decide about the requests that were stopped, and about its expectations.
import type { Command } from 'commander'
import type { PolicyDifference } from '../../contract/administration.ts'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { EXIT_MISUSED, Failure } from '../failure.ts'
import { createLocalTime, type LocalTime } from '../local-time.ts'
import { printable, printableJson } from '../terminal/printable.ts'
import { callEngine } from './client.ts'
import { ENGINE, type EngineOptions, findEngine, withEngineOptions } from './connection.ts'
import { counted } from './load-result.ts'
import { type RuledText, ruledText } from './ruled-text.ts'

/** New lists of millions of names on a busy machine. */
const SECONDS = 120

export function diffCommand(context: Context): Command {
  const command = createCommand(context, 'diff', {
    purpose: 'Tries another policy on the requests that were stopped.',
    details: `
The engine reads the file from the folder of its policy, without putting it in
force: write the new policy there, try it, then rename it. It is tried on the
last 10,000 requests that this engine has stopped since its start, each at the
time at which it was stopped, without sessions and permissions: right after a
start there are none, and nothing is tried. Allowed requests are not recorded:
what a new rule stops is seen among the names of [[expect]] alone. The exit code
is 1 if a reload would reject the file.
${ENGINE}`,
    examples: ['gatewayctl engine diff new.toml', "gatewayctl engine diff new.toml --json | jq '.opens.by[]'"],
  }).argument('<file>', "a file next to the engine's policy")
  return withEngineOptions(command).action(async (file: string, options: EngineOptions) => {
    if (/[/\\]/.test(file)) {
      throw new Failure('name the file without its folder: the engine reads it next to its policy', EXIT_MISUSED)
    }
    const connection = await findEngine(context, options)
    const difference = await callEngine(connection, 'diff', { file }, SECONDS)
    if (options.json) context.stdout.write(`${printableJson(difference, 2)}\n`)
    else {
      context.stdout.write(describeDifference(difference, createLocalTime(context)))
      for (const rejection of difference.rejections) context.stderr.write(`problem: ${printable(rejection)}\n`)
    }
    if (difference.rejections.length > 0) throw new Failure('a reload would keep the policy in force')
  })
}

function describeDifference(difference: PolicyDifference, time: LocalTime): string {
  const { expected } = difference
  const [stops, opened] = [
    expected.filter(({ after }) => after.verdict !== 'allow'),
    expected.filter(({ after }) => after.verdict === 'allow'),
  ]
  const change = stops.filter(({ before }) => before.verdict !== 'allow')
  return `${[
    ...describeTried(difference, time),
    '',
    'Among the names of [[expect]] it',
    ...describeExpected(
      'stops',
      stops.filter((one) => !change.includes(one)),
    ),
    ...describeExpected('opens', opened),
    ...describeExpected('stops otherwise', change),
  ].join('\n')}\n`
}

function describeTried({ file, stopped, since, open, opens, changes }: PolicyDifference, time: LocalTime) {
  // "opens none" would read like a result.
  if (stopped === 0) {
    return [
      `${printable(file)} was tried on no request: this engine has stopped none since its start. What it opens is not known.`,
    ]
  }
  return [
    `${printable(file)}, tried on ${counted(stopped, 'stopped request')}${since === null ? '' : ` since ${time(since, 'second')}`}:`,
    '',
    ...describeChanges('opens', opens),
    ...describeChanges('stops otherwise', changes),
    ...(open === 0 ? [] : [`${counted(open, 'request')} would be allowed by the policy in force, too`]),
  ]
}

function describeChanges(what: string, { requests, people, by }: PolicyDifference['opens']): readonly string[] {
  if (requests === 0) return [`${what} none`]
  return [
    `${what} ${requests.toLocaleString('en')}, of ${people === 1 ? '1 person' : `${people.toLocaleString('en')} people`}, by these rules:`,
    ...by.flatMap((one) => [
      `  ${one.requests.toLocaleString('en')} of ${one.people.toLocaleString('en')}: ${described(one)}`,
      `    ${one.hosts.map(({ host, requests }) => `${printable(host)} (${requests.toLocaleString('en')})`).join(', ')}`,
    ]),
  ]
}

function describeExpected(what: string, expected: PolicyDifference['expected']): readonly string[] {
  if (expected.length === 0) return [`  ${what} none`]
  return [
    `  ${what}`,
    ...expected.map((one) => `    ${printable(one.url)}: ${described(one)} (${printable(one.place)})`),
  ]
}

/** `blocked by the rule games (line 12), now allowed by the default` */
function described({ before, after }: { readonly before: RuledText; readonly after: RuledText }): string {
  return `${ruledText(before)}, then ${ruledText(after)}`
}
