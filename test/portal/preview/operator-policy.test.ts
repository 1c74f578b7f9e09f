// The preview shows the operator's policy, in every state of the policy page and every language.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { COMPILE_CACHE } from '../../support/compile-cache.ts'
import { policyFiles } from '../../support/policy-files.ts'

test('npm run preview shows the operator’s policy, and rejects an invalid one', { timeout: 60_000 }, async (t) => {
  const good = policyFiles(t, { 'aup.md': '# Network rules', 'aup.fr.md': '# Règles du réseau' })
  const broken = policyFiles(t, { 'aup.md': ' ' })
  const start = (env: Readonly<Record<string, string>>) =>
    spawn(process.execPath, ['src/portal/preview/main.ts'], {
      env: { ...COMPILE_CACHE, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })

  const preview = start(good.env)
  t.after(() => preview.kill('SIGKILL'))
  const [line] = (await once(createInterface(preview.stdout), 'line')) as [string]
  const address = /http:\/\/localhost:\d+/.exec(line)?.[0].replace('localhost', '127.0.0.1')
  const list = await (await fetch(`${address}/`)).text()
  const targets = Array.from(list.matchAll(/href="(\/aup\?[^"]*)"/g), ([, target]) => target?.replaceAll('&amp;', '&'))
  assert.ok(targets.length >= 4)
  for (const target of targets) {
    for (const [locale, title] of [
      ['de', 'Network rules'],
      ['fr', 'Règles du réseau'],
    ] as const) {
      const page = await (await fetch(`${address}${target}`, { headers: { 'accept-language': locale } })).text()
      assert.ok(page.includes(`<h2>${title}</h2>`), `${locale} ${target}`)
    }
  }

  const refused = start(broken.env)
  let errors = ''
  refused.stderr.on('data', (chunk) => {
    errors += chunk
  })
  assert.deepEqual(await once(refused, 'close'), [2, null])
  assert.ok(errors.includes(`"${broken.path}" must not be empty`), errors)
})
