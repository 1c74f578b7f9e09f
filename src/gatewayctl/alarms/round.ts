// One round: checks everything, remembers what it found, and sends what is due. What cannot be sent stays due.

import type { AlarmSettings } from '../../settings/sections/alarms.ts'
import type { Context } from '../context.ts'
import { EXIT_MISUSED, Failure } from '../failure.ts'
import type { Connect } from '../portal/doctor/deployment.ts'
import { areaOf, type Cause, harmless } from './cause.ts'
import { checkEverything } from './check-everything.ts'
import { JOBS } from './checks/jobs.ts'
import { SERVICES, unitName } from './checks/services.ts'
import { readUnits, type UnitsFound, unitOf } from './checks/units.ts'
import { channelsOf, deliver } from './deliver.ts'
import { messageAbout } from './message.ts'
import { gatewayName, type SectionOptions, sectionPath, stateFiles } from './options.ts'
import { afterRound, afterTelling, CHANNELS, dueFor, withoutChannel } from './rounds.ts'
import { readSection, rememberedSettings } from './section.ts'
import { readState, type State, writeState } from './state.ts'

export interface RoundOptions extends SectionOptions {
  readonly state: string
  readonly connectHttps?: Connect
  readonly proxy?: Connect
}

interface Sent {
  readonly channel: string
  /** What the other side answered, or why nothing was sent. */
  readonly answer: string
  readonly isFailed: boolean
}

export interface RoundResult {
  readonly causes: readonly Cause[]
  readonly sent: readonly Sent[]
  /** Of the watcher itself. */
  readonly faults: readonly string[]
}

/** @throws {Failure} where there is no section, and none is remembered */
export async function runRound(context: Context, options: RoundOptions, check = checkEverything): Promise<RoundResult> {
  const path = sectionPath(context, options)
  const files = stateFiles(options.state, context)
  const { state, faults } = readState(files)
  const { settings, section, problems } = await settingsOf(path, state)
  const now = context.clock()
  const units = await readUnits(UNITS, context.env)
  const journal = { before: state.journal, after: state.journal }
  const jobs = { before: state.jobs, after: state.jobs }
  const found = await check({
    ...{ context, settings, units, now, journal, jobs, policy: path, stateFile: options.state },
    ...{ connectHttps: options.connectHttps, proxy: options.proxy },
    remedyFor: (service) => remedyFor(service, units),
  })
  const causes = [...found.causes, ...sectionCauses(problems)].filter(({ id }) => !isIgnored(id, settings))

  const channels = channelsOf(settings)
  const others = CHANNELS.filter((channel) => !channels.includes(channel))
  let remembered = others.reduce(withoutChannel, afterRound(state.causes, causes, found.unknown ?? [], now))
  const next = () => ({ roundAt: now, causes: remembered, section, jobs: jobs.after, journal: journal.after })
  // First: if this fails, the hourly limit would be lost with the messages.
  const writeFault = await writeState(files, next())

  const sent = await Promise.all(
    channels.map(async (channel): Promise<Sent | undefined> => {
      const due = dueFor(channel, remembered, now)
      if (due.alarms.length + due.ended.length === 0) return undefined
      try {
        const message = messageAbout(due, gatewayName(context), now)
        const answer = await deliver(channel, message, { path, settings, options })
        remembered = afterTelling(remembered, channel, due, now)
        return { channel, answer, isFailed: false }
      } catch (error) {
        return { channel, answer: harmless((error as Error).message, 600), isFailed: true }
      }
    }),
  )
  await writeState(files, next())
  return {
    causes,
    sent: sent.filter((one) => one !== undefined),
    faults: [...faults, ...problems, ...(writeFault === undefined ? [] : [writeFault])],
  }
}

const UNITS = [...SERVICES.map(unitName), ...JOBS.flatMap(({ unit }) => [`${unit}.timer`, `${unit}.service`])]

/** Those that the file had when it could be read last, if it cannot now: that is a cause, too. */
async function settingsOf(
  path: string,
  { section: remembered }: State,
): Promise<{ readonly settings: AlarmSettings; readonly section: unknown; readonly problems: readonly string[] }> {
  const reading = await readSection(path)
  if ('settings' in reading) return { ...reading, problems: [] }
  const settings = rememberedSettings(remembered)
  if (settings !== undefined) return { settings, section: remembered, problems: reading.problems }
  throw new Failure(reading.problems.join('\n'), EXIT_MISUSED)
}

/** Without the problems themselves, which quote the file. */
function sectionCauses(problems: readonly string[]): readonly Cause[] {
  if (problems.length === 0) return []
  const summary = 'The section [alarms] cannot be read: alarms are sent by the settings that it had before'
  return [{ id: 'alarms', summary, remedy: 'gatewayctl alarms test; gateway-engine --check' }]
}

function isIgnored(id: string, { ignore }: AlarmSettings): boolean {
  return ignore.includes(id) || ignore.includes(areaOf(id))
}

function remedyFor(service: string, units: UnitsFound): string {
  return unitOf(units, unitName(service)) === undefined
    ? `docker compose ps; docker compose logs --tail 30 ${service}`
    : `systemctl status gateway-${service}; journalctl -u gateway-${service} -n 30`
}
