// The backup of the engine had its state, its keys and /etc/gateway, but not the lists that gateway-lists downloads. A machine that
// was restored by docs/run.md had a policy that names them: the engine refused to start, nobody got to any site, all timers were
// off, and nothing said so. Since the first backup. `npm run check -- packages` pastes the guide's commands into a new machine.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandBlocks } from '../deploy/command-blocks.ts'
import { settings } from '../deploy/units.ts'

const words = settings('gateway-engine-backup.service', 'ExecStart')
const archived = words.slice(words.findIndex((word) => word.endsWith('/deploy/backup/archive')) + 4)
const readBy = (unit: string) =>
  settings(unit, 'ExecStart').flatMap((word) => /^--allow-fs-read=\/((?:etc|var)\/.+)\/\*$/.exec(word)?.[1] ?? [])

test('every folder of data that the engine may read is in its backup', () => {
  const folders = readBy('gateway-engine.service')
  assert.ok(folders.includes('var/lib/gateway-lists') && folders.length >= 3, `${folders}`)
  for (const folder of folders) {
    assert.ok(
      archived.some((path) => `${folder}/`.startsWith(`${path}/`)),
      folder,
    )
  }
})

test('the guide turns on every timer, and its last line says which is off', () => {
  const [restore = ''] = commandBlocks('docs/run.md').flatMap(({ text }) =>
    text.includes('systemctl enable --now gateway-engine gateway-portal') ? [text] : [],
  )
  for (const name of ['engine-backup', 'portal-backup', 'prune', 'lists']) {
    assert.match(restore, RegExp(`^systemctl enable --now .*\\bgateway-${name}\\.timer\\b`, 'm'))
  }
  assert.match(restore, /is-active "\$unit"\)"\ndone\n$/)
})

test('control: the backup has always had settings and keys', () => {
  for (const path of ['etc/gateway', 'var/lib/gateway-engine']) assert.ok(archived.includes(path), path)
})
