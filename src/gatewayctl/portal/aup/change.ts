// One change of the operator's policy: text, switch and container together. If the portal rejects it, or a signal
// interrupts it, all three are put back. SIGKILL leaves each file complete, the old or the new one.
import { rm } from 'node:fs/promises'
import type { Context } from '../../context.ts'
import { withVariable } from '../../deployment/env-file.ts'
import { findRuntime } from '../../deployment/find-runtime.ts'
import type { Installation } from '../../deployment/installation.ts'
import { type PortalRuntime, SWITCH } from '../../deployment/runtime.ts'
import { Failure } from '../../failure.ts'
import { createFolder, linkNew, readIfExists, removeFile, sha256, writeAtomically } from '../../files/atomic-file.ts'
import { type EndSignal, exitCodeOf, handlingSignals } from '../../signals.ts'
import { printable, printableLines } from '../../terminal/printable.ts'
import { lossNotice, versionNotice } from '../recorded-acceptances.ts'
import { keepAsPrevious, removeOldTexts } from './previous-texts.ts'
import { type PutBack, replace } from './replacement.ts'
import { type ChangedText, checkTexts, type Texts } from './texts.ts'
import { type Trouble, watchPortal } from './watch.ts'

export interface Change {
  readonly enabled: boolean
  readonly text?: ChangedText
  readonly steadySeconds: number
}

/** Short: the portal was healthy in this state before. */
const PUT_BACK_SECONDS = 1

/**
 * Makes the change, and watches that the portal stays up.
 * @throws {Failure} if it did not, or after a signal; text, switch and container are as they were
 */
export async function makeChange(
  context: Context,
  installation: Installation,
  texts: Texts,
  change: Change,
): Promise<void> {
  const { enabled, text } = change
  if (enabled) await checkTexts(texts, text)
  const runtime = await findRuntime(context, installation)
  // Before anything is changed: a runtime that does not respond now would not respond afterwards.
  const wasUp = (await runtime.instances()).some(({ running }) => running)
  if (text !== undefined) await createFolder(texts.folder, 0o755)
  const interruption = new AbortController()
  const interrupt = (signal: EndSignal) => {
    if (interruption.signal.aborted) return report(context, 'Still putting back what was there …')
    report(context, 'Interrupted: putting back what was there …')
    interruption.abort(new Failure(`interrupted by ${signal}`, exitCodeOf(signal)))
  }
  await handlingSignals(interrupt, () =>
    changeOrPutBack({ context, installation, texts, runtime, wasUp, interrupted: interruption.signal }, change),
  )
  await removeFile(secondName(installation.envFile))
  if (text !== undefined) await removeOldTexts(text.path)
  if (enabled) await reportRecording(context, runtime)
}

interface Setup {
  readonly context: Context
  readonly installation: Installation
  readonly texts: Texts
  readonly runtime: PortalRuntime
  readonly wasUp: boolean
  readonly interrupted: AbortSignal
}

async function changeOrPutBack(setup: Setup, { enabled, text, steadySeconds }: Change): Promise<void> {
  const { context, installation, texts, runtime, wasUp, interrupted } = setup
  const { envFile } = installation
  let putTextBack: PutBack | undefined
  let putEnvironmentBack: PutBack | undefined
  let isRecreated = false
  const switchBefore = installation.variables()[SWITCH]
  try {
    if (text !== undefined) {
      const keep = () => keepAsPrevious(text.path, context.clock())
      putTextBack = await replace({ ...text, newMode: 0o644, keep })
    }
    const environment = ((await readIfExists(envFile)) ?? Buffer.alloc(0)).toString()
    const switched = withVariable(environment, SWITCH, `${enabled}`)
    if (switched !== environment) {
      const keep = () => keepEnvironment(envFile)
      putEnvironmentBack = await replace({ path: envFile, bytes: Buffer.from(switched), newMode: 0o600, keep })
    }
    interrupted.throwIfAborted()
    isRecreated = true
    const trouble = await recreateAndWatch(setup, { enabled, texts: await seen(texts, enabled) }, steadySeconds)
    interrupted.throwIfAborted()
    if (trouble !== undefined) {
      throw new Failure(`the portal did not stay up with this: ${printableLines(trouble.reason)}${logged(trouble)}`)
    }
  } catch (error) {
    if (putEnvironmentBack !== undefined && !(await putEnvironmentBack())) await switchBack(envFile, switchBefore)
    const isTextBack = (await putTextBack?.()) ?? true
    if (!isRecreated && !(error instanceof Failure)) throw error
    const result = isRecreated ? await recreateAsBefore(context, runtime) : 'Nothing was changed.'
    const note = isTextBack
      ? ''
      : `\n${text?.path} was changed by another program in the meantime, and stays as it is now.`
    if (!(error instanceof Failure)) {
      report(context, result + note)
      throw error
    }
    const before = wasUp ? '' : '\nIt was not running before, either.'
    throw new Failure(`${error.message}\n${result}${note}${before}`, error.exitCode)
  }
}

async function recreateAndWatch(
  { context, runtime, interrupted }: Setup,
  expected: { readonly enabled: boolean; readonly texts: Readonly<Record<string, string>> },
  steadySeconds: number,
): Promise<Trouble | undefined> {
  report(context, `Recreating the portal (${runtime.name}) …`)
  try {
    await runtime.recreate()
    interrupted.throwIfAborted()
    report(context, `Watching that it stays up for ${steadySeconds} s …`)
    return await watchPortal(runtime, expected, steadySeconds, interrupted)
  } catch (error) {
    if (interrupted.aborted || !(error instanceof Failure)) throw error
    return { reason: error.message, logLines: [] }
  }
}

/** @returns the portal's state, for the operator */
async function recreateAsBefore(context: Context, runtime: PortalRuntime): Promise<string> {
  report(context, `Recreating the portal (${runtime.name}) as it was …`)
  try {
    await runtime.recreate()
    const trouble = await watchPortal(runtime, undefined, PUT_BACK_SECONDS)
    const health = trouble === undefined ? 'and is healthy.' : `but ${printable(trouble.reason)}.${logged(trouble)}`
    return `Text, switch and container are as they were; the portal runs ${health}`
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return `Text and switch are as they were, but the portal could not be recreated: ${printableLines(error.message)}`
  }
}

/** Only for this change: the next one removes what SIGKILL left behind. */
async function keepEnvironment(envFile: string): Promise<string> {
  const kept = secondName(envFile)
  await rm(kept, { force: true })
  await linkNew(envFile, kept)
  return kept
}

const secondName = (envFile: string): string => `${envFile}.before-gatewayctl`

/** Restores only the switch, because another program may have changed `.env`, too. */
async function switchBack(envFile: string, before: string | undefined): Promise<void> {
  const now = ((await readIfExists(envFile)) ?? Buffer.alloc(0)).toString()
  await writeAtomically(envFile, withVariable(now, SWITCH, before || 'false'), 0o600)
}

function logged({ logLines }: Trouble): string {
  return logLines.length === 0
    ? ''
    : `\nIts last log lines:\n${logLines.map((line) => `  ${printable(line)}`).join('\n')}`
}

/** Reports under which version the portal now records acceptances, and whether it keeps them. */
async function reportRecording(context: Context, runtime: PortalRuntime): Promise<void> {
  const [instance] = await runtime.instances()
  if (instance === undefined) return
  report(context, versionNotice(instance))
  const notice = await lossNotice(instance)
  if (notice !== undefined) report(context, notice)
}

/** The digests of the texts that the portal must see, by path. */
async function seen(texts: Texts, enabled: boolean): Promise<Readonly<Record<string, string>>> {
  if (!enabled) return {}
  const all = await Promise.all(
    texts.all.map(async (locale) => [texts.seenPath(locale), await readIfExists(texts.path(locale))] as const),
  )
  return Object.fromEntries(all.flatMap(([path, bytes]) => (bytes === undefined ? [] : [[path, sha256(bytes)]])))
}

export function report(context: Context, text: string): void {
  context.stderr.write(`${text}\n`)
}
