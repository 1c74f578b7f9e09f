// `portal aup edit`: the text in an editor or from a file, checked, put live, and taken back when the portal goes down.
import { readFileSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { buffer as readStream } from 'node:stream/consumers'
import { type Command, Option } from 'commander'
import type { Locale } from '../../../config/locales.ts'
import { GATEWAY_HOME } from '../../deployment/installation.ts'
import { workFolder } from '../../deployment/runtime.ts'
import { Failure } from '../../failure.ts'
import { printable } from '../../printable.ts'
import { canAsk, confirm } from '../../question.ts'
import { verb } from '../../verb.ts'
import { makeFolder, readWhole, unusable, writeWhole } from '../../whole-file.ts'
import type { World } from '../../world.ts'
import { makeChange, say } from './change.ts'
import { edit, hasEditor } from './editor.ts'
import { changing, type Gateway, withLocale, withSteady } from './gateway.ts'
import { template } from './template.ts'
import { checkTexts, isEnabled, textOf } from './texts.ts'

interface EditOptions {
  readonly locale?: Locale
  readonly file?: string
  readonly steady: number
}

export function editAup(world: World): Command {
  const command = verb(world, 'edit', {
    purpose: 'Edits the acceptable use policy, and puts it live.',
    details: `
It opens $VISUAL, $EDITOR, nano or vi; the first time with a template. The text
is checked by the portal's own rules. Then it is put in place, the policy is
turned on, and the portal is started anew and watched. When the portal does not
stay up, text, switch and container are put back as they were.

An empty text changes nothing. One that was not changed only turns the policy
on. --file takes the text from a file, --file - from standard input; so does a
call without a terminal and without $VISUAL and $EDITOR.
${GATEWAY_HOME}`,
    examples: [
      'gatewayctl portal aup edit',
      'gatewayctl portal aup edit --locale fr',
      'gatewayctl portal aup edit --file policy.md',
    ],
  }).addOption(new Option('--file <file>', 'the new text; - is standard input'))
  return withSteady(withLocale(command)).action(async (options: EditOptions) => {
    await changing(world, (gateway) => editText(world, gateway, options))
  })
}

async function editText(world: World, gateway: Gateway, { locale, file, steady }: EditOptions): Promise<void> {
  const { installation, texts } = gateway
  const path = await textOf(texts, locale)
  if (path !== texts.path() && (await readWhole(texts.path())) === undefined) {
    throw new Failure(
      `there is no ${basename(texts.path())} yet, which every language needs: first, "gatewayctl portal aup edit"`,
    )
  }
  const current = await readWhole(path)
  const given = file ?? (world.stdin.isTTY || hasEditor(world) ? undefined : '-')
  const draft = given === undefined ? await openDraft(gateway, path) : undefined
  const seed = current ?? Buffer.from(template(locale ?? texts.locales.default))
  const bytes =
    draft === undefined ? await readGiven(world, given ?? '-') : await editedDraft(world, gateway, path, draft, seed)

  if (bytes.toString().trim() === '') {
    const said = 'The text is empty; nothing was changed.'
    if (draft === undefined) throw new Failure(said)
    await rm(draft, { force: true })
    return say(world, said)
  }
  const isUnchanged = bytes.equals(current ?? Buffer.alloc(0))
  const isTemplate = current === undefined && draft !== undefined && bytes.equals(seed)
  if (isTemplate || (isUnchanged && isEnabled(installation))) {
    if (draft !== undefined) await rm(draft, { force: true })
    return say(world, `The ${isTemplate ? 'template' : 'text'} was not changed; nothing was done.`)
  }
  try {
    await makeChange(world, installation, texts, {
      verb: 'portal aup edit',
      enabled: true,
      ...(isUnchanged ? {} : { text: { path, bytes } }),
      steadySeconds: steady,
    })
  } catch (error) {
    if (error instanceof Failure && draft !== undefined) {
      throw new Failure(`${error.message}\nYour text is kept in ${draft}.`, error.exitCode)
    }
    throw error
  }
  if (draft !== undefined) await rm(draft, { force: true })
  say(world, isUnchanged ? 'The text was not changed; the policy is turned on.' : `${path} is live.`)
}

/** Where the editor works. */
async function openDraft({ installation }: Gateway, path: string): Promise<string> {
  const folder = join(await workFolder(installation), 'drafts')
  await makeFolder(folder, 0o700)
  return join(folder, basename(path))
}

async function editedDraft(
  world: World,
  { texts }: Gateway,
  path: string,
  draft: string,
  seed: Uint8Array,
): Promise<Buffer> {
  if ((await readWhole(draft)) !== undefined) {
    const kept = `${draft}.${world.clock()}`
    await rename(draft, kept)
    say(world, `An edit that did not come to its end left its text in ${printable(kept)}.`)
  }
  await writeWhole(draft, seed, 0o600)
  for (;;) {
    await edit(world, draft)
    const bytes = (await readWhole(draft)) ?? Buffer.alloc(0)
    if (bytes.toString().trim() === '' || !canAsk(world)) return bytes
    try {
      await checkTexts(texts, path, bytes)
      return bytes
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      say(world, error.message)
      if (!(await confirm(world, 'Edit it again?'))) return bytes
    }
  }
}

async function readGiven({ stdin }: World, file: string): Promise<Buffer> {
  if (file === '-') return await readStream(stdin)
  try {
    return readFileSync(file)
  } catch (error) {
    throw unusable(file, 'read', error as NodeJS.ErrnoException)
  }
}
