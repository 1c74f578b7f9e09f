// `lists`, `lists add` and `lists remove`: published lists in the operator's policy and in lists.conf. Nothing is downloaded.
import { dirname, join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { createCommand, createGroup } from '../command.ts'
import type { Context } from '../context.ts'
import { DEFAULT_HOME, isPortalInContainer } from '../deployment/installation.ts'
import { isUnitEnabled } from '../deployment/unit-state.ts'
import { EXIT_MISUSED, Failure } from '../failure.ts'
import { readIfExists, writeAtomically } from '../files/atomic-file.ts'
import { underLock } from '../portal/aup/lock.ts'
import { printable, printableJson } from '../terminal/printable.ts'
import { table } from '../terminal/table.ts'
import { CATALOGUE, fileName, type PublishedList } from './catalogue.ts'
import {
  addToPolicy,
  addToSources,
  findPublished,
  isAdded,
  pathInPolicy,
  removeFromPolicy,
  removeFromSources,
  rulesIn,
} from './edit.ts'
import { placeFinder } from './place.ts'

interface FileOptions {
  readonly policy?: string
  readonly sources?: string
}

interface AddOptions extends FileOptions {
  readonly folder?: string
}

const SOURCES_MODE = 0o644
const TIMER = 'gateway-lists.timer'
const COLUMNS = ['name', 'names', 'licence', 'added', 'about'] as const
const FILES = `
The policy is engine/policy.toml, the addresses are lists.conf in GATEWAY_HOME
(default: /etc/gateway).`

export function listsCommand(context: Context): Command {
  const group = createGroup(
    context,
    'lists',
    {
      purpose: 'The catalogue of published lists, and which of them the policy has.',
      details: `
Numbers of names are those of 2025. Check each licence before you use a list:
some forbid to pass it on.
${FILES}`,
      examples: ['gatewayctl lists', 'gatewayctl lists add ut1/adult', "gatewayctl lists --json | jq '.lists[].name'"],
    },
    [addListCommand(context), removeListCommand(context)],
  )
  return withFiles(group.enablePositionalOptions())
    .option('--json', 'print one JSON document')
    .action(async ({ json, ...options }: FileOptions & { readonly json?: true }) => {
      const policy = (await readText(filesOf(context, options).policy)) ?? ''
      const lists = CATALOGUE.map((one) => ({ ...one, added: isAdded(policy, one) }))
      if (json) {
        context.stdout.write(`${printableJson({ lists }, 2)}\n`)
        return
      }
      const rows = lists.map(({ names, added, ...one }) => ({
        ...one,
        names: names.toLocaleString('en'),
        added: added ? 'yes' : '-',
      }))
      context.stdout.write(table(context, COLUMNS, rows))
    })
}

function addListCommand(context: Context): Command {
  const command = createCommand(context, 'add', {
    purpose: 'Writes address, list and rule of published lists into your files.',
    details: `
The rule blocks the list for everyone. It is the last one of the policy, but
above any that decides about every host, such as match = ["*"]: rules above it
decide first. Edit it there. The engine reloads the policy by itself.
Nothing is downloaded: gateway-lists.timer does that, or you.
${FILES}`,
    examples: ['gatewayctl lists add ut1/adult', 'gatewayctl lists add ut1/gambling hagezi/tif'],
  })
    .argument('<name...>', 'names in the catalogue')
    .addOption(
      new Option('--folder <folder>', 'where the engine reads lists (default: /var/lib/gateway-lists; compose: lists)'),
    )
  return withFiles(command).action(async (names: readonly string[], { folder, ...options }: AddOptions) => {
    const isInContainer = isPortalInContainer(context.env)
    const place = folder ?? (isInContainer ? 'lists' : '/var/lib/gateway-lists')
    const findNext = await placeFinder(filesOf(context, options).policy)
    const { lists: added, before } = await change(context, options, names, (list, { policy, sources }) => ({
      policy: addToPolicy(policy, list, place, findNext(policy)?.line),
      sources: addToSources(sources, list),
    }))
    for (const { name, names: count, licence, publisher } of added) {
      context.stdout.write(`${name} added: about ${count.toLocaleString('en')} names, ${licence}, ${publisher}.\n`)
    }
    const next = findNext(before.policy)
    if (next !== undefined) {
      context.stdout.write(`Above the rule "${printable(next.name)}", which decides about every host.\n`)
    }
    const fetch = isInContainer
      ? 'engine update-lists (docs/policy.md, "Updating lists")'
      : 'systemctl start gateway-lists'
    context.stderr.write(`Nothing has been downloaded: until then the rule does not match. To fetch it: ${fetch}\n`)
    if (isInContainer || (await isUnitEnabled(context, TIMER))) return
    context.stderr.write(`${TIMER} is off: nothing fetches it daily. To turn it on: systemctl enable --now ${TIMER}\n`)
  })
}

function removeListCommand(context: Context): Command {
  const command = createCommand(context, 'remove', {
    purpose: 'Removes what gatewayctl lists add wrote.',
    details: `
Refused while another line of the policy names the list. The downloaded file
stays. The engine keeps a policy that loses half of its rules until gatewayctl
engine reload --accept-losses.
${FILES}`,
    examples: ['gatewayctl lists remove ut1/adult'],
  }).argument('<name...>', 'names in the catalogue')
  return withFiles(command).action(async (names: readonly string[], options: FileOptions) => {
    const { lists, policy, before, after } = await change(context, options, names, (list, { policy, sources }) => ({
      policy: removeFromPolicy(policy, list),
      sources: removeFromSources(sources, list),
    }))
    for (const list of lists) {
      const path = resolve(dirname(policy), pathInPolicy(before.policy, list) ?? fileName(list))
      context.stdout.write(`${list.name} removed. Its file stays, if it has been fetched: ${printable(path)}\n`)
    }
    const [had, has] = [rulesIn(before.policy), rulesIn(after.policy)]
    if (has * 2 > had) return
    context.stderr.write(
      `The policy loses half of its rules: it has ${has}, and had ${had}. The engine keeps the previous one until this accepts it: gatewayctl engine reload --accept-losses\n`,
    )
  })
}

interface Texts {
  readonly policy: string
  readonly sources: string
}

interface Changed {
  readonly lists: readonly PublishedList[]
  /** The path of its file. */
  readonly policy: string
  readonly before: Texts
  readonly after: Texts
}

/** All of them or none. The address comes before the list that needs it, and leaves after it. */
async function change(
  context: Context,
  options: FileOptions,
  names: readonly string[],
  edit: (list: PublishedList, texts: Texts) => Texts,
): Promise<Changed> {
  const lists = names.map((name) => findPublished(CATALOGUE, name))
  const files = filesOf(context, options)
  const policy = await readText(files.policy)
  if (policy === undefined) throw new Failure(`there is no policy ${files.policy}; --policy names it`, EXIT_MISUSED)
  return await underLock(context, { home: dirname(files.policy) }, async () => {
    const before: Texts = {
      policy: (await readText(files.policy)) ?? policy,
      sources: (await readText(files.sources)) ?? '',
    }
    const after = lists.reduce((texts, list) => edit(list, texts), before)
    const write = async (which: keyof Texts) => {
      if (after[which] !== before[which]) await writeAtomically(files[which], after[which], SOURCES_MODE)
    }
    const isLonger = after.sources.length >= before.sources.length
    for (const which of isLonger ? (['sources', 'policy'] as const) : (['policy', 'sources'] as const))
      await write(which)
    return { lists, policy: files.policy, before, after }
  })
}

function withFiles(command: Command): Command {
  return command
    .addOption(new Option('--policy <file>', "the engine's policy"))
    .addOption(new Option('--sources <file>', 'the addresses of lists'))
}

function filesOf({ env }: Context, { policy, sources }: FileOptions) {
  const home = env.GATEWAY_HOME?.trim() || DEFAULT_HOME
  return { policy: policy ?? join(home, 'engine', 'policy.toml'), sources: sources ?? join(home, 'lists.conf') }
}

/** @throws {Failure} for what is not UTF-8: an edit would change other bytes */
async function readText(path: string): Promise<string | undefined> {
  const bytes = await readIfExists(path)
  try {
    return bytes && new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Failure(`${printable(path)} must be text in UTF-8`)
  }
}
