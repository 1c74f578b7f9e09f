// Seen: VISUAL='vim --cmd="set nu"' ran vim with the arguments `--cmd=` and `"set`, `LC_ALL=C vim` looked for a program with that
// name, and `My\ Editor` for `My\`. gatewayctl split the variable itself. It is a command of the shell, as for Git, crontab and
// visudo. Since `portal aup edit` exists.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Context } from '../../src/gatewayctl/context.ts'
import { Failure } from '../../src/gatewayctl/failure.ts'
import { edit } from '../../src/gatewayctl/portal/aup/editor.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Runs it with an editor, installed in three places, that writes down its arguments; the text has a hostile path. */
function editors(folder: string) {
  const [text, seen] = [join(folder, 'the "text"; $(touch pwned) .md'), join(folder, 'seen')]
  const script = `#!/bin/sh\nprintf '%s\\n' "$WITH" "$@" >'${seen}'\n`
  for (const path of ['ed', 'My Editor', "it's"]) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), script)
    chmodSync(join(folder, path), 0o755)
  }
  const env = { PATH: `${folder}:/usr/bin:/bin`, HOME: folder, WITH: '' }
  return async (editor: string) => {
    await edit({ env: { ...env, EDITOR: editor } } as unknown as Context, text)
    const [variable, ...args] = readFileSync(seen, 'utf8').split('\n').slice(0, -1)
    assert.equal(args.pop(), text, editor)
    return variable === '' ? args : [`WITH=${variable}`, ...args]
  }
}

test('quotes, backslashes, variables and a home folder mean what they mean in a shell', async (t) => {
  const folder = temporaryFolder(t)
  const argumentsOf = editors(folder)
  for (const [editor, expected] of [
    ['ed --cmd="set nu" -n', ['--cmd=set nu', '-n']],
    [`ed --cmd='say "yes"' ""`, ['--cmd=say "yes"', '']],
    ['My\\ Editor --wait', ['--wait']],
    ['"My Editor" --wait', ['--wait']],
    ['WITH=C ed', ['WITH=C']],
    ['WITH="a b" ed -n', ['WITH=a b', '-n']],
    ['env WITH=C ed', ['WITH=C']],
    ['exec ed -n', ['-n']],
    ['ed  -a\t-b', ['-a', '-b']],
    ['~/ed -n', ['-n']],
    ['$HOME/ed -n', ['-n']],
    [`ed "it's"`, ["it's"]],
  ] as const) {
    assert.deepEqual(await argumentsOf(editor), expected, editor)
  }
})

test('what the shell cannot run is a failure that names the variables, and nothing is changed', async (t) => {
  const argumentsOf = editors(temporaryFolder(t))
  for (const [editor, said] of [
    ['no-such-editor -n', /no-such-editor -n cannot be run \(status 127\): correct \$VISUAL or \$EDITOR; nothing was/],
    ['ed "unfinished', /the editor ed "unfinished exited with status 2; nothing was changed/],
  ] as const) {
    await assert.rejects(argumentsOf(editor), (error) => error instanceof Failure && said.test(error.message))
  }
})

test('control: a name, and a path with spaces and quotes without any quoting', async (t) => {
  const folder = temporaryFolder(t)
  const argumentsOf = editors(folder)
  for (const editor of ['ed', join(folder, 'My Editor'), join(folder, "it's")]) {
    assert.deepEqual(await argumentsOf(editor), [], editor)
  }
})
