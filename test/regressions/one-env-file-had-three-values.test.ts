// Seen: `.env` is read by compose, by systemd and by gatewayctl, and `X="say \"hi\""`, `X=a\b`, `X=$NAME`, `X=${NAME:-x}`,
// `X=a$$b`, `export X=…`, a comment after a value, or a byte order mark had a different value in each; the portal ran with one, and
// gatewayctl reported another. Since gatewayctl reads `.env`. What the programs make of each file was recorded from them.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseEnvFile, withVariable } from '../../src/gatewayctl/deployment/env-file.ts'
import { gatewayctl } from '../gatewayctl/gatewayctl.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** A file, and what compose, docker-compose 1 and systemd read in it. */
type Recorded = readonly [file: string | { readonly base64: string }, Seen, Seen, Seen]
type Seen = 'error' | readonly [x: string | null, y: string | null]

const { cases } = JSON.parse(readFileSync(new URL('../gatewayctl/env-files.json', import.meta.url), 'utf8')) as {
  readonly cases: Readonly<Record<string, Recorded>>
}
const bytesOf = ([file]: Recorded) =>
  typeof file === 'string' ? Buffer.from(file) : Buffer.from(file.base64, 'base64')

test('each file has one value in all programs, or a problem that names the line and no value', () => {
  let accepted = 0
  for (const [name, recorded] of Object.entries(cases)) {
    const { values, problems } = parseEnvFile(bytesOf(recorded))
    if (problems.length > 0) {
      for (const problem of problems) assert.match(problem, /^[12]: .{20,}$/, name)
      continue
    }
    accepted++
    const [, ...seen] = recorded
    for (const one of seen) assert.deepEqual([values.X ?? null, values.Y ?? null], one, name)
  }
  assert.equal(accepted, 43)
})

test('each problem says what to write, and that is accepted', () => {
  for (const [line, says, instead] of [
    ['export A=b', /^1: systemd ignores a line with export: write A=…$/, 'A=b'],
    ['A=b # note', /^1: A: not every program reads a comment after a value: put it on its own line/, '# note\nA=b'],
    ['A="b" # note', /^1: A: nothing may follow the closing quote: put a comment on its own line$/, '# note\nA="b"'],
    ['A=a\\b', /^1: A: systemd removes the backslash: put the value in single quotes$/, "A='a\\b'"],
    ['A="a\\nb"', /^1: A: .* use single quotes, or write \\\\ for a backslash$/, 'A="a\\\\nb"'],
    ["A='a\\\\b'", /^1: A: .* use double quotes, and write \\\\ for a backslash$/, 'A="a\\\\\\\\b"'],
    ['A=pa$word', /^1: A: compose replaces \$NAME and \$\$, .* in single quotes$/, "A='pa$word'"],
    ['A=a$$b', /^1: A: compose replaces \$NAME and \$\$, .* in single quotes$/, "A='a$$b'"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the file's own text.
    ['A=${B:-c}', /^1: A: compose replaces \$ and a name in braces, .*: write the value itself$/, 'A=c'],
    ['A="b', /^1: A: the closing " must be on the same line$/, 'A="b"'],
    ['; note', /^1: must be NAME=value, or a comment that begins with #$/, '# note'],
    ['A B=c', /^1: must be NAME=value, with a name of letters, digits and underscores$/, 'A_B=c'],
    ['# note \\', /^1: the comment ends in a backslash, which hides the next line from systemd: remove it$/, '# note'],
    ['A=b\u00a0', /^1: A: begins or ends with a space that only some programs remove: remove it$/, 'A=b'],
    ['\uFEFFA=b', /^1: begins with a byte order mark, .*: save the file without it$/, 'A=b'],
  ] as const) {
    const problems = (text: string) => parseEnvFile(Buffer.from(`${text}\n`)).problems
    assert.match(problems(line).join('\n'), says, line)
    assert.deepEqual(problems(instead), [], instead)
  }
  assert.deepEqual(parseEnvFile(Buffer.from('A=b\n', 'utf16le')).problems.length > 0, true)
})

test('gatewayctl stops with all of them, and prints no value', async (t) => {
  const home = temporaryFolder(t)
  const path = join(home, '.env')
  writeFileSync(path, 'A=b\nENGINE_API_TOKEN=s3cret$word # note\nexport GATEWAY_ORG_NAME=s3cret\n')
  const { status, stdout, stderr } = await gatewayctl(['portal', 'pac', '--proxy', '192.0.2.1:3128'], {
    env: { GATEWAY_HOME: home },
  })
  assert.deepEqual([status, stdout], [2, ''])
  assert.match(stderr, new RegExp(`${path}:2: ENGINE_API_TOKEN: .*\n${path}:3: systemd ignores`))
  assert.doesNotMatch(stderr, /s3cret/)
})

test('control: the shipped files have no problem, and a variable is set in its place', () => {
  for (const shipped of ['deploy/.env.example', 'deploy/debian/env', 'deploy/swarm/portal.env.example']) {
    const text = readFileSync(new URL(`../../${shipped}`, import.meta.url), 'utf8')
    assert.deepEqual(parseEnvFile(Buffer.from(text)).problems, [], shipped)
    // As someone uncomments a line.
    assert.deepEqual(parseEnvFile(Buffer.from(text.replace(/^#(?=[A-Z])/gm, ''))).problems, [], shipped)
  }
  for (const [text, expected] of [
    ['A=1\r\nB=2\r\n', 'A=true\r\nB=2\r\n'],
    ['A="1"\nA = \'2\'\nB=3', 'A="1"\nA = true\nB=3'],
    ['B=2', 'B=2\nA=true\n'],
  ] as const) {
    assert.equal(withVariable(text, 'A', 'true'), expected)
  }
})
