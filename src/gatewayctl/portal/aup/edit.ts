// `portal aup edit`: takes the text from an editor or a file, checks it, puts it live, and reverts it if the portal fails.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { buffer as readStream } from 'node:stream/consumers'
import { type Command, Option } from 'commander'
import type { Locale } from '../../../settings/sections/locales.ts'
import { createCommand } from '../../command.ts'
import type { Context } from '../../context.ts'
import { GATEWAY_HOME } from '../../deployment/installation.ts'
import { Failure } from '../../failure.ts'
import { fileFailure, readIfExists } from '../../files/atomic-file.ts'
import { canConfirm, confirm } from '../../terminal/confirm.ts'
import { makeChange, report } from './change.ts'
import { openDraft, removeDraft } from './draft.ts'
import { edit, hasEditor } from './editor.ts'
import { changeGateway, type Gateway, withLocale, withSteady } from './gateway.ts'
import { template } from './template.ts'
import { type ChangedText, checkTexts, isEnabled, type Texts, textOf } from './texts.ts'

interface EditOptions {
  readonly locale?: Locale
  readonly file?: string
  readonly steady: number
}

export function editAupCommand(context: Context): Command {
  const command = createCommand(context, 'edit', {
    purpose: 'Edits the acceptable use policy and puts it live.',
    details: `
It opens $VISUAL, $EDITOR, nano or vi, with a template if there is no text yet.
$VISUAL and $EDITOR are commands of the shell, as for Git. The text is checked
by the portal's own rules. Then it is put in place, the policy is turned on, and
the portal is recreated and watched. When the portal does not stay up, or Ctrl-C
interrupts the change, text, switch and container are put back as they were. The
last ten texts stay next to the new one; "status" lists them.

An empty text changes nothing, and neither does the template as it is. Your own
text, unchanged, only turns the policy on.
--file takes the text from a file, --file - from standard input; so does a
call without a terminal and without $VISUAL and $EDITOR.
${GATEWAY_HOME}`,
    examples: [
      'gatewayctl portal aup edit',
      'gatewayctl portal aup edit --locale fr',
      'gatewayctl portal aup edit --file policy.md',
    ],
  }).addOption(new Option('--file <file>', 'the new text; - is standard input'))
  return withSteady(withLocale(command)).action(async (options: EditOptions) => {
    await changeGateway(context, (gateway) => editText(context, gateway, options))
  })
}

async function editText(context: Context, gateway: Gateway, { locale, file, steady }: EditOptions): Promise<void> {
  const { installation, texts } = gateway
  const path = await textOf(texts, locale)
  if (path !== texts.path() && (await readIfExists(texts.path())) === undefined) {
    throw new Failure(
      `there is no ${basename(texts.path())} yet, which every language needs: first, "gatewayctl portal aup edit"`,
    )
  }
  const current = await readIfExists(path)
  const given = file ?? (context.stdin.isTTY || hasEditor(context) ? undefined : '-')
  const putLive = (bytes: Buffer, source?: string) =>
    putTextLive(context, gateway, { path, current, bytes, source, steadySeconds: steady })
  if (given !== undefined) {
    const bytes = await readGiven(context, given)
    if (isBlank(bytes)) throw new Failure(EMPTY)
    return await putLive(bytes, given === '-' ? 'standard input' : JSON.stringify(given))
  }
  const seed = current ?? Buffer.from(template(locale ?? texts.locales.default))
  const draft = await openDraft(installation, basename(path), seed)
  let isKept = false
  try {
    const bytes = await editedDraft(context, texts, path, draft)
    if (isBlank(bytes)) return report(context, EMPTY)
    if (current === undefined && bytes.equals(seed)) {
      return report(context, 'The template was not changed; nothing was done.')
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

interface NewText extends ChangedText {
  readonly current: Buffer | undefined
  readonly steadySeconds: number
}

async function putTextLive(
  context: Context,
  { installation, texts }: Gateway,
  { current, steadySeconds, ...changed }: NewText,
): Promise<void> {
  const isUnchanged = current !== undefined && changed.bytes.equals(current)
  if (isUnchanged && isEnabled(installation)) return report(context, 'The text was not changed; nothing was done.')
  const text = isUnchanged ? {} : { text: changed }
  await makeChange(context, installation, texts, { enabled: true, ...text, steadySeconds })
  report(context, isUnchanged ? 'The text was not changed; the policy is turned on.' : `${changed.path} is live.`)
}

async function editedDraft(context: Context, texts: Texts, path: string, draft: string): Promise<Buffer> {
  for (;;) {
    await edit(context, draft)
    const bytes = (await readIfExists(draft)) ?? Buffer.alloc(0)
    if (isBlank(bytes) || !canConfirm(context)) return bytes
    try {
      await checkTexts(texts, { path, bytes })
      return bytes
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      report(context, error.message)
      if (!(await confirm(context, 'Edit it again?'))) return bytes
    }
  }
}

async function readGiven({ stdin }: Context, file: string): Promise<Buffer> {
  if (file === '-') return await readStream(stdin)
  try {
    return readFileSync(file)
  } catch (error) {
    throw fileFailure(file, 'read', error as NodeJS.ErrnoException)
  }
}
