// One change of the operator's policy: text, switch and container together, or none of them. However gatewayctl ends in
// between, the next call finds the journal and puts the old state back.
import { withVariable } from '../../deployment/env-file.ts'
import type { Installation } from '../../deployment/installation.ts'
import { findRuntime, type PortalRuntime, SWITCH } from '../../deployment/runtime.ts'
import { Failure } from '../../failure.ts'
import { printable, printableLines } from '../../printable.ts'
import { makeFolder, readWhole, sha256, writeWhole } from '../../whole-file.ts'
import type { World } from '../../world.ts'
import { memoryNotice, versionNotice } from '../recorded-acceptances.ts'
import { keepReplaced } from './history.ts'
import { begin, end, type Journal, putBack, type Replacement, readJournal, replaceFiles } from './journal.ts'
import { ALL, checkTexts, type Texts } from './texts.ts'
import { type Trouble, watchPortal } from './watch.ts'

export interface Change {
  /** As it was called: `portal aup edit`. */
  readonly verb: string
  readonly enabled: boolean
  readonly text?: { readonly path: string; readonly bytes: Uint8Array }
  readonly steadySeconds: number
}

/** A portal that was up before the change is so again soon. */
const PUT_BACK_SECONDS = 1

/**
 * Makes the change, and watches that the portal stays up.
 * @throws {Failure} when it did not, and everything is as it was
 */
export async function makeChange(
  world: World,
  installation: Installation,
  texts: Texts,
  { verb, enabled, text, steadySeconds }: Change,
): Promise<void> {
  if (enabled) await checkTexts(texts, text?.path, text?.bytes)
  const runtime = await findRuntime(world, installation)
  // Asked before anything is changed: without an answer now there would be none afterwards.
  const wasUp = (await runtime.instances()).some(({ running }) => running)
  const environment = ((await readWhole(installation.envFile)) ?? Buffer.alloc(0)).toString()
  const switched = withVariable(environment, SWITCH, `${enabled}`)
  const replacements: readonly Replacement[] = [
    ...(text === undefined ? [] : [{ ...text, mode: 0o644 }]),
    ...(switched === environment ? [] : [{ path: installation.envFile, bytes: Buffer.from(switched), mode: 0o600 }]),
  ]
  if (text !== undefined) await makeFolder(texts.folder, 0o755)
  const journal = await begin(
    installation,
    {
      verb,
      startedAt: new Date(world.clock()).toISOString(),
      switchBefore: installation.variables()[SWITCH] ?? null,
    },
    replacements,
  )
  const warnOfInterruption = () =>
    world.stderr.write('interrupted: the next "gatewayctl portal aup …" puts back what was there\n')
  process.once('exit', warnOfInterruption)
  try {
    let trouble: Trouble | undefined
    let touched = false
    try {
      await replaceFiles(journal, replacements)
      touched = true
      say(world, `Recreating the portal (${runtime.name}) …`)
      await runtime.recreate()
      say(world, `Watching that it stays up for ${steadySeconds} s …`)
      trouble = await watchPortal(runtime, { enabled, texts: await seen(texts, enabled) }, steadySeconds)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      trouble = { reason: error.message, logLines: [] }
    }
    if (trouble !== undefined) {
      const result = touched
        ? await undo(world, installation, runtime, journal)
        : await undoFiles(installation, journal)
      const before = wasUp ? '' : '\nIt was not running before either.'
      throw new Failure(`${refusal(trouble, touched)}\n${result}${before}`)
    }
    await end(installation)
    await keepReplaced(installation, texts, world.clock())
    if (enabled) await reportRecording(world, installation, runtime)
  } finally {
    process.removeListener('exit', warnOfInterruption)
  }
}

/** Finishes what an interrupted call left. @returns what it found, for the operator */
export async function recover(world: World, installation: Installation, texts: Texts): Promise<string | undefined> {
  const journal = await readJournal(installation)
  // A change that came to its end, and was interrupted right then.
  if (journal === undefined) {
    await keepReplaced(installation, texts, world.clock())
    return undefined
  }
  const found = `found a "gatewayctl ${printable(journal.verb)}" of ${journal.startedAt} that was interrupted`
  say(world, `${found}; putting back what was there …`)
  return await undo(world, installation, await findRuntime(world, installation), journal)
}

async function undoFiles(installation: Installation, journal: Journal): Promise<string> {
  const foreign = await putBackFiles(installation, journal)
  await end(installation)
  return ['Nothing was changed.', ...foreign].join('\n')
}

/** @returns what was done. @throws {Failure} when the portal could not be started again; the journal stays */
async function undo(
  world: World,
  installation: Installation,
  runtime: PortalRuntime,
  journal: Journal,
): Promise<string> {
  const foreign = await putBackFiles(installation, journal)
  say(world, `Recreating the portal (${runtime.name}) as it was …`)
  try {
    await runtime.recreate()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const next = 'Text and switch are as they were; the next "gatewayctl portal aup …" tries again.'
    throw new Failure(`the portal could not be recreated as it was: ${error.message}\n${next}`)
  }
  const trouble = await watchPortal(runtime, undefined, PUT_BACK_SECONDS)
  await end(installation)
  const health = trouble === undefined ? 'and is healthy.' : `but ${printable(trouble.reason)}.${logged(trouble)}`
  return ['Text, switch and container are as they were; the portal runs', ...foreign]
    .join('\n')
    .replace(/runs/, `runs ${health}`)
}

async function putBackFiles(installation: Installation, journal: Journal): Promise<readonly string[]> {
  const foreign = await putBack(journal)
  if (foreign.includes(installation.envFile)) {
    const now = ((await readWhole(installation.envFile)) ?? Buffer.alloc(0)).toString()
    await writeWhole(installation.envFile, withVariable(now, SWITCH, journal.switchBefore || 'false'), 0o600)
  }
  return foreign
    .filter((path) => path !== installation.envFile)
    .map((path) => `${path} was changed by somebody else meanwhile, and stays as it is now.`)
}

function refusal({ reason, logLines }: Trouble, touched: boolean): string {
  const what = touched ? 'the portal did not stay up with this: ' : ''
  return `${what}${printableLines(reason)}${logged({ reason, logLines })}`
}

function logged({ logLines }: Trouble): string {
  return logLines.length === 0
    ? ''
    : `\nIts last log lines:\n${logLines.map((line) => `  ${printable(line)}`).join('\n')}`
}

/** Under which version the portal now records acceptances, and whether it keeps them. */
async function reportRecording(world: World, installation: Installation, runtime: PortalRuntime): Promise<void> {
  const [instance] = await runtime.instances()
  if (instance === undefined) return
  say(world, versionNotice(instance))
  const notice = await memoryNotice(instance, installation)
  if (notice !== undefined) say(world, notice)
}

/** The texts that the portal has to see. */
async function seen(texts: Texts, enabled: boolean): Promise<Readonly<Record<string, string>>> {
  if (!enabled) return {}
  const all = await Promise.all(
    ALL.map(async (locale) => [texts.seenPath(locale), await readWhole(texts.path(locale))] as const),
  )
  return Object.fromEntries(all.flatMap(([path, bytes]) => (bytes === undefined ? [] : [[path, sha256(bytes)]])))
}

export function say(world: World, text: string): void {
  world.stderr.write(`${text}\n`)
}
