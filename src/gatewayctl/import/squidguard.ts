// `import squidguard`: a configuration of squidGuard or ufdbGuard as a policy.
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { createCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { EXIT_MISUSED, Failure } from '../failure.ts'
import { streamOutput } from '../files/output.ts'
import { printable, printableLines, quoted } from '../terminal/printable.ts'
import { type Imported, type ImportOptions, importConfiguration } from './squidguard/import.ts'

interface CommandOptions {
  readonly output?: string
  readonly dbhome?: string
}

const MAXIMUM_BYTES = 16 * 1024 * 1024

export function importSquidguardCommand(context: Context): Command {
  const command = createCommand(context, 'squidguard', {
    purpose: 'Writes the policy that a configuration of squidGuard or ufdbGuard describes.',
    details: `
With --output, the policy and its lists are written into a new folder, in the
form that the engine reads. Without it, the policy goes to standard output, and
names the lists where they are. What has no counterpart in the policy, or is
decided differently, is named by line on standard error, and at the beginning
of the policy. See docs/import.md.

Check the policy with the engine's --check before you use it.`,
    examples: [
      'gatewayctl import squidguard /etc/squidguard/squidGuard.conf --output imported',
      'gatewayctl import squidguard squidGuard.conf --dbhome ./db > policy.toml',
    ],
  })
    .argument('<file>', 'the configuration')
    .addOption(new Option('--output <folder>', 'write into this new folder'))
    .addOption(new Option('--dbhome <folder>', 'where the lists are (default: dbhome of the configuration)'))
  return command.action((file: string, options: CommandOptions) => run(context, file, options))
}

async function run(context: Context, file: string, { output, dbhome }: CommandOptions): Promise<void> {
  const text = await readConfiguration(file)
  const given = { file, dbhome, output, year: new Date(context.clock()).getFullYear() }
  const { policy, notes, counts } = output === undefined ? importConfiguration(text, given) : write(text, given, output)
  if (output === undefined) await streamOutput(context.stdout).write(policy)
  for (const note of notes) context.stderr.write(`${printable(note)}\n`)
  if (output === undefined) return
  const { rules, lists, groups } = counts
  const summary = `rules: ${rules}, lists: ${lists}, groups: ${groups}; notes: ${notes.length}`
  context.stdout.write(`${quoted(join(output, 'policy.toml'))}: ${summary}\n`)
}

async function readConfiguration(file: string): Promise<string> {
  try {
    const { size } = await stat(file)
    if (size > MAXIMUM_BYTES) throw new Failure(`${file} is larger than 16 MiB`, EXIT_MISUSED)
    const bytes = await readFile(file)
    // Older configurations have comments in Latin-1.
    const text = bytes.toString('utf8')
    return text.includes('\ufffd') ? bytes.toString('latin1') : text
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure(`${file} cannot be read: ${(error as Error).message}`, EXIT_MISUSED)
  }
}

/** Under another name until it is complete: after SIGKILL, the next import replaces it. @throws {Failure} */
function write(text: string, options: ImportOptions, output: string): Imported {
  if (existsSync(output)) throw new Failure(`${output} exists: name a new folder`, EXIT_MISUSED)
  const path = resolve(output)
  const unfinished = join(dirname(path), `.${basename(path)}.unfinished`)
  rmSync(unfinished, { recursive: true, force: true })
  try {
    mkdirSync(unfinished, { mode: 0o750 })
  } catch (error) {
    throw new Failure(`${output} cannot be created: ${(error as Error).message}`)
  }
  try {
    const imported = importConfiguration(text, { ...options, output: unfinished })
    writeFileSync(join(unfinished, 'policy.toml'), imported.policy, { mode: 0o640, flag: 'wx' })
    renameSync(unfinished, path)
    return imported
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (error instanceof Failure) throw error
    throw new Failure(`${output} cannot be written: ${printableLines((error as Error).message)}`)
  }
}
