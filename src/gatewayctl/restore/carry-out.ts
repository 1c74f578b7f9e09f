// Stops, replaces and starts. Until the new folders are in place, a failure or a signal puts everything back.
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { type EndSignal, exitCodeOf, handlingSignals } from '../signals.ts'
import type { Systemd } from './machine.ts'
import type { Plan } from './plan.ts'
import { type InPlace, putInPlace } from './put-in-place.ts'

/** @returns what is on now: the services that were started, and the timers that run. @throws {Failure} */
export async function carryOut(context: Context, systemd: Systemd, plan: Plan): Promise<readonly string[]> {
  const say = (text: string) => context.stderr.write(`${text}\n`)
  const interruption = new AbortController()
  const interrupt = (signal: EndSignal) => {
    if (!interruption.signal.aborted) say('Interrupted: putting back what was there …')
    interruption.abort(new Failure(`interrupted by ${signal}`, exitCodeOf(signal)))
  }
  await handlingSignals(interrupt, async () => {
    let inPlace: InPlace | undefined
    try {
      if (plan.stopped.length > 0) {
        say('Stopping the gateway …')
        await systemd.change('stop', ...plan.stopped)
      }
      inPlace = await putInPlace(plan.replacements, interruption.signal)
      await systemd.change('daemon-reload')
      interruption.signal.throwIfAborted()
    } catch (error) {
      await inPlace?.putBack()
      await systemd.attempt('daemon-reload')
      if (plan.stopped.length > 0) await systemd.attempt('start', ...plan.stopped)
      if (!(error instanceof Failure)) throw error
      throw new Failure(`${error.message}\nEverything is as it was.`, error.exitCode)
    }
  })
  return await start(systemd, plan, say)
}

/** What does not start shows in the checks. */
async function start(systemd: Systemd, plan: Plan, say: (text: string) => void): Promise<readonly string[]> {
  const { disabled, restarted, services, timers } = plan
  say('Starting the gateway …')
  if (disabled.length > 0) await systemd.attempt('disable', '--now', ...disabled)
  if (services.length + timers.length > 0) await systemd.change('enable', ...services, ...timers)
  await systemd.attempt('reset-failed', 'gateway-*')
  // One by one: what is not installed is among what is missing.
  for (const unit of restarted) await systemd.attempt('try-restart', unit)
  if (services.length > 0) await systemd.attempt('start', ...services)
  if (timers.length > 0) await systemd.attempt('start', ...timers)
  const active = timers.length === 0 ? [] : await systemd.active(...timers)
  return [...services, ...timers.filter((timer) => active.includes(timer))]
}
