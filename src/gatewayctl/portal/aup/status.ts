// `portal aup status`: whether the operator's policy is on, its texts, and the portal's health.
import { statSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { createCommand } from '../../command.ts'
import type { Context } from '../../context.ts'
import { findRuntime } from '../../deployment/find-runtime.ts'
import type { Installation } from '../../deployment/installation.ts'
import { SWITCH } from '../../deployment/runtime.ts'
import { Failure } from '../../failure.ts'
import { readIfExists, sha256 } from '../../files/atomic-file.ts'
import { printable, printableJson } from '../../terminal/printable.ts'
import { createStyle } from '../../terminal/style.ts'
import { findGateway } from './gateway.ts'
import { described, previousTexts } from './previous-texts.ts'
import { checkTexts, isEnabled, type Texts } from './texts.ts'
import { portalTrouble as troubleOf } from './watch.ts'

interface AupState {
  readonly enabled: boolean
  readonly texts: readonly {
    readonly file: string
    readonly locale: string | null
    readonly modified_at: string
    readonly size: number
    readonly sha256: string
  }[]
  /** The texts that were replaced, the newest first. */
  readonly previous: readonly {
    readonly file: string
    readonly replaced_at: string
    readonly size: number
    readonly sha256: string
  }[]
  /** Everything that is wrong. */
  readonly problems: readonly string[]
}

export function aupStatusCommand(context: Context): Command {
  return createCommand(context, 'status', {
    purpose: 'Reports whether your policy is on, its texts, and the health of the portal.',
    details: `
It lists the last ten texts that were replaced, too. The exit code is 1 when
something is wrong: the portal does not respond, or would refuse a text.`,
    examples: ['gatewayctl portal aup status', 'gatewayctl portal aup status --json'],
  })
    .addOption(new Option('--json', 'as one JSON document'))
    .action(async ({ json }: { readonly json?: true }) => {
      const { installation, texts } = findGateway(context)
      const state = await aupState(installation, texts)
      const trouble = await portalTrouble(context, installation, state.enabled)
      const problems = [...state.problems, ...(trouble === undefined ? [] : [trouble])]
      if (json) {
        const portal = trouble === undefined ? 'healthy' : 'unhealthy'
        context.stdout.write(`${printableJson({ ...state, portal, problems }, 2)}\n`)
      } else {
        const style = createStyle(context)
        const lines = [
          `your own policy     ${state.enabled ? style('green', 'on') : 'off'}`,
          ...shownTexts(state).map((line) => `text                ${line}`),
          ...state.previous.map((text) => `previous text       ${shownPrevious(text)}`),
          `portal              ${trouble === undefined ? style('green', 'healthy') : style('red', 'unhealthy')}`,
        ]
        context.stdout.write(`${lines.join('\n')}\n`)
      }
      if (problems.length > 0) throw new Failure(problems.join('\n'))
    })
}

export async function aupState(installation: Installation, texts: Texts): Promise<AupState> {
  const enabled = isEnabled(installation)
  const found = await Promise.all(
    texts.all.map(async (locale) => {
      const file = texts.path(locale)
      const bytes = await readIfExists(file)
      if (bytes === undefined) return []
      const modified_at = statSync(file).mtime.toISOString()
      return [{ file, locale: locale ?? null, modified_at, size: bytes.length, sha256: sha256(bytes) }]
    }),
  )
  const previous = (await Promise.all(texts.all.map((locale) => previousTexts(texts.path(locale))))).flat()
  return {
    enabled,
    texts: found.flat(),
    previous: await Promise.all(previous.map(described)),
    problems: enabled || found.flat().length > 0 ? await refused(texts) : [],
  }
}

export function shownTexts({ texts }: AupState): readonly string[] {
  if (texts.length === 0) return ['none']
  return texts.map(({ file, modified_at, size, sha256 }) =>
    [printable(file), `changed ${modified_at}`, `${size} bytes`, `SHA-256 ${sha256.slice(0, 16)}…`].join(', '),
  )
}

const shownPrevious = ({ file, size, sha256 }: AupState['previous'][number]) =>
  `${printable(file)}, ${size} bytes, SHA-256 ${sha256.slice(0, 16)}…`

async function refused(texts: Texts): Promise<readonly string[]> {
  try {
    await checkTexts(texts)
    return []
  } catch (error) {
    if (error instanceof Failure) return [error.message]
    throw error
  }
}

async function portalTrouble(
  context: Context,
  installation: Installation,
  enabled: boolean,
): Promise<string | undefined> {
  try {
    const runtime = await findRuntime(context, installation)
    const instances = await runtime.instances()
    const other = instances.find(({ variables }) => (variables[SWITCH] === 'true') !== enabled)
    if (other !== undefined) return `${other.name} runs with an older .env; "${runtime.name}" has to recreate it`
    return (await troubleOf(instances))?.reason
  } catch (error) {
    if (error instanceof Failure) return error.message
    throw error
  }
}
