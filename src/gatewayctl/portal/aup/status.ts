// `portal aup status`: whether the policy of one's own is on, which texts there are, and how the portal is.
import { statSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { verb } from '../../command.ts'
import type { World } from '../../context.ts'
import type { Installation } from '../../deployment/installation.ts'
import { findRuntime, SWITCH } from '../../deployment/runtime.ts'
import { Failure } from '../../failure.ts'
import { readWhole, sha256 } from '../../files/atomic-file.ts'
import { printable, printableJson } from '../../terminal/printable.ts'
import { createPaint } from '../../terminal/style.ts'
import { findGateway } from './gateway.ts'
import { described, previousTexts } from './previous-texts.ts'
import { ALL, checkTexts, isEnabled, type Texts } from './texts.ts'
import { portalFault } from './watch.ts'

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
  /** All that is wrong with it. */
  readonly problems: readonly string[]
}

export function aupStatus(world: World): Command {
  return verb(world, 'status', {
    purpose: 'Says whether your policy is on, when it was changed, how the portal is.',
    details: `
It lists the last ten texts that were replaced, too. The exit code is 1 when
something is wrong: the portal does not answer, or it would refuse a text.`,
    examples: ['gatewayctl portal aup status', 'gatewayctl portal aup status --json'],
  })
    .addOption(new Option('--json', 'as one JSON document'))
    .action(async ({ json }: { readonly json?: true }) => {
      const { installation, texts } = findGateway(world)
      const state = await aupState(installation, texts)
      const trouble = await portalTrouble(world, installation, state.enabled)
      const problems = [...state.problems, ...(trouble === undefined ? [] : [trouble])]
      if (json) {
        const portal = trouble === undefined ? 'healthy' : 'unhealthy'
        world.stdout.write(`${printableJson({ ...state, portal, problems }, 2)}\n`)
      } else {
        const paint = createPaint(world)
        const lines = [
          `policy of your own  ${state.enabled ? paint('green', 'on') : 'off'}`,
          ...shownTexts(state).map((line) => `text                ${line}`),
          ...state.previous.map((text) => `previous text       ${shownPrevious(text)}`),
          `portal              ${trouble === undefined ? paint('green', 'healthy') : paint('red', 'unhealthy')}`,
        ]
        world.stdout.write(`${lines.join('\n')}\n`)
      }
      if (problems.length > 0) throw new Failure(problems.join('\n'))
    })
}

export async function aupState(installation: Installation, texts: Texts): Promise<AupState> {
  const enabled = isEnabled(installation)
  const found = await Promise.all(
    ALL.map(async (locale) => {
      const file = texts.path(locale)
      const bytes = await readWhole(file)
      if (bytes === undefined) return []
      const modified_at = statSync(file).mtime.toISOString()
      return [{ file, locale: locale ?? null, modified_at, size: bytes.length, sha256: sha256(bytes) }]
    }),
  )
  const previous = (await Promise.all(ALL.map((locale) => previousTexts(texts.path(locale))))).flat()
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

async function portalTrouble(world: World, installation: Installation, enabled: boolean): Promise<string | undefined> {
  try {
    const runtime = await findRuntime(world, installation)
    const instances = await runtime.instances()
    const other = instances.find(({ variables }) => (variables[SWITCH] === 'true') !== enabled)
    if (other !== undefined)
      return `${other.name} was started before .env said so; "${runtime.name}" has to recreate it`
    return await portalFault(instances)
  } catch (error) {
    if (error instanceof Failure) return error.message
    throw error
  }
}
