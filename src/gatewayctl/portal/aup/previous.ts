// `portal aup history` and `portal aup restore`: the texts that were replaced, and one of them back.
import { join } from 'node:path'
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { createPaint } from '../../paint.ts'
import { printable, printableJson } from '../../printable.ts'
import { verb } from '../../verb.ts'
import { readWhole } from '../../whole-file.ts'
import type { World } from '../../world.ts'
import { makeChange, say } from './change.ts'
import { changing, looking, withSteady } from './gateway.ts'
import { described, previousText, previousTexts } from './history.ts'
import { isEnabled } from './texts.ts'

export function aupHistory(world: World): Command {
  return verb(world, 'history', {
    purpose: 'Lists the texts that were replaced, the newest first.',
    examples: ['gatewayctl portal aup history', 'gatewayctl portal aup history --json'],
  })
    .addOption(new Option('--json', 'as one JSON document'))
    .action(async ({ json }: { readonly json?: true }) => {
      const { texts } = await looking(world)
      const all = await Promise.all((await previousTexts(texts)).toReversed().map(described))
      if (json) {
        world.stdout.write(`${printableJson({ texts: all }, 2)}\n`)
        return
      }
      if (all.length === 0) return say(world, 'No text was replaced yet.')
      const paint = createPaint(world)
      const rows = all.map((text) => [text.number, text.replaced_at, text.file, text.size, text.sha256].map(printable))
      const header = ['N', 'replaced_at', 'file', 'bytes', 'sha256']
      const widths = header.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)))
      const line = (cells: readonly string[]) =>
        cells
          .map((cell, at) => cell.padEnd(widths[at] ?? 0))
          .join('  ')
          .trimEnd()
      world.stdout.write(`${[paint('bold', line(header)), ...rows.map(line)].join('\n')}\n`)
    })
}

export function restoreAup(world: World): Command {
  const command = verb(world, 'restore', {
    purpose: 'Puts a text live that was replaced before.',
    details: `
It does what "edit" does with a text that was changed to this one: the policy is
turned on, the portal is started anew and watched.`,
    examples: ['gatewayctl portal aup restore 3'],
  }).addArgument(new Argument('<N>', 'its number, as "history" lists it').argParser(parseNumber))
  return withSteady(command).action(async (number: number, { steady }: { readonly steady: number }) => {
    await changing(world, async ({ installation, texts }) => {
      const { file, bytes } = await previousText(texts, number)
      const path = join(texts.folder, file)
      const isCurrent = (await readWhole(path))?.equals(bytes)
      if (isCurrent && isEnabled(installation)) return say(world, `${path} is this text already; nothing was done.`)
      await makeChange(world, installation, texts, {
        verb: `portal aup restore ${number}`,
        enabled: true,
        ...(isCurrent ? {} : { text: { path, bytes } }),
        steadySeconds: steady,
      })
      say(world, `${path} is live, as it was before ${number} was replaced.`)
    })
  })
}

function parseNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a number that "history" lists.')
  return Number(text)
}
