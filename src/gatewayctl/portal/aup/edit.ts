// `portal aup edit`: the text in an editor or from a file, checked, put live, and taken back when the portal goes down.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { buffer as readStream } from 'node:stream/consumers'
import { type Command, Option } from 'commander'
import type { Locale } from '../../../config/locales.ts'
import { verb } from '../../command.ts'
import type { World } from '../../context.ts'
import { GATEWAY_HOME } from '../../deployment/installation.ts'
import { Failure } from '../../failure.ts'
import { readWhole, unusable } from '../../files/atomic-file.ts'
import { canAsk, confirm } from '../../terminal/confirm.ts'
import { makeChange, say } from './change.ts'
import { openDraft, removeDraft } from './draft.ts'
import { edit, hasEditor } from './editor.ts'
import { changing, type Gateway, withLocale, withSteady } from './gateway.ts'
import { template } from './template.ts'
import { checkTexts, isEnabled, type Texts, textOf } from './texts.ts'

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
turned on, and the portal is recreated and watched. When the portal does not
stay up, or Ctrl-C interrupts the change, text, switch and container are put
back as they were. The last ten texts stay next to the new one; "status" lists
them.

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
  const putLive = (bytes: Buffer) => putTextLive(world, gateway, { path, current, bytes, steadySeconds: steady })
  if (given !== undefined) {
    const bytes = await readGiven(world, given)
    if (isBlank(bytes)) throw new Failure(EMPTY)
    return await putLive(bytes)
  }
  const seed = current ?? Buffer.from(template(locale ?? texts.locales.default))
  const draft = await openDraft(installation, basename(path), seed)
  let isKept = false
  try {
    const bytes = await editedDraft(world, texts, path, draft)
    if (isBlank(bytes)) return say(world, EMPTY)
    if (current === undefined && bytes.equals(seed)) {
      return say(world, 'The template was not changed; nothing was done.')
    }
    await putLive(bytes).catch((error) => {
      isKept = true
      if (!(error instanceof Failure)) throw error
      throw new Failure(`${error.message}\nYour text is kept in ${draft}.`, error.exitCode)
    })
  } finally {
    if (!isKept) await removeDraft(draft)
  }
}

const EMPTY = 'The text is empty; nothing was changed.'
const isBlank = (bytes: Buffer) => bytes.toString().trim() === ''

interface NewText {
  readonly path: string
  readonly current: Buffer | undefined
  readonly bytes: Buffer
  readonly steadySeconds: number
}

async function putTextLive(
  world: World,
  { installation, texts }: Gateway,
  { path, current, bytes, steadySeconds }: NewText,
): Promise<void> {
  const isUnchanged = current !== undefined && bytes.equals(current)
  if (isUnchanged && isEnabled(installation)) return say(world, 'The text was not changed; nothing was done.')
  const text = isUnchanged ? {} : { text: { path, bytes } }
  await makeChange(world, installation, texts, { enabled: true, ...text, steadySeconds })
  say(world, isUnchanged ? 'The text was not changed; the policy is turned on.' : `${path} is live.`)
}

async function editedDraft(world: World, texts: Texts, path: string, draft: string): Promise<Buffer> {
  for (;;) {
    await edit(world, draft)
    const bytes = (await readWhole(draft)) ?? Buffer.alloc(0)
    if (isBlank(bytes) || !canAsk(world)) return bytes
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
