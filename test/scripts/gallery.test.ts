// The gallery is complete, and its committed pictures are small and used.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { CHOSEN } from '../../scripts/gallery/chosen.ts'
import { indexPage } from '../../scripts/gallery/index-page.ts'
import { planPictures } from '../../scripts/gallery/plan.ts'
import { takePictures } from '../../scripts/gallery/take-pictures.ts'
import { LOCALES } from '../../src/settings/sections/locales.ts'
import { launchHeadlessShell } from '../support/browser.ts'
import { startPreview } from '../support/preview.ts'
import { skipWithoutChromium } from '../support/requirement.ts'

const MAX_COMMITTED_BYTES = 1.5e6
const COMMITTED = fileURLToPath(new URL('../../docs/pictures/', import.meta.url))

const preview = await startPreview()
after(() => preview.close())
const names = preview.states.map(({ name }) => name)

test('every state has a unique name, suitable for a file', () => {
  assert.equal(new Set(names).size, names.length)
  for (const name of names) assert.match(name, /^[a-zA-Z-]+$/)
})

test('the plan contains every state in every palette, flavour and language, once', () => {
  const pictures = planPictures(preview.states)
  const planned = new Set(pictures.map(({ file }) => file))
  assert.equal(planned.size, pictures.length)
  for (const state of names) {
    for (const palette of ['indigo', 'amber', 'bsod']) {
      for (const flavour of ['light', 'dark']) {
        for (const locale of LOCALES) assert.ok(planned.has(`${state}.${palette}.${flavour}.${locale}.webp`))
      }
    }
  }
  assert.equal(pictures.length, names.length * 3 * 2 * LOCALES.length)
})

test('a filter selects the named values and rejects unknown ones', () => {
  const wanted = { state: ['privacy'], palette: ['bsod', 'indigo'], locale: ['it'] }
  assert.deepEqual(
    planPictures(preview.states, wanted).map(({ file }) => file),
    ['indigo.light', 'indigo.dark', 'bsod.light', 'bsod.dark'].map((colours) => `privacy.${colours}.it.webp`),
  )
  for (const axis of ['state', 'palette', 'flavour', 'locale']) {
    assert.throws(
      () => planPictures(preview.states, { [axis]: ['mauve'] }),
      new RegExp(`no ${axis} mauve; available: `),
    )
  }
})

test('the index links to every picture', () => {
  const pictures = planPictures(preview.states, { locale: ['de'] })
  const index = indexPage(pictures, preview.states, 'pictures').toString()
  for (const { file } of pictures) assert.ok(index.includes(`<a href="pictures/${file}">`), file)
  for (const name of names)
    assert.ok(index.includes(`<a href="#${name}">`) && index.includes(`<h2 id="${name}">`), name)
})

test('pictures are taken', { skip: skipWithoutChromium }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'gallery-'))
  t.after(() => rm(folder, { recursive: true }))
  const browser = await launchHeadlessShell(t)
  const pictures = planPictures(preview.states, { state: ['warned-pin'], palette: ['bsod'], locale: ['de', 'fr'] })
  let taken = 0
  await takePictures(browser, pictures, folder, { width: 400, scale: 1 }, () => taken++)
  assert.equal(taken, pictures.length)
  assert.deepEqual((await readdir(folder)).sort(), pictures.map(({ file }) => file).sort())
  const contents = await Promise.all(pictures.map(({ file }) => readFile(join(folder, file), 'latin1')))
  for (const content of contents) assert.match(content, /^RIFF....WEBP/s)
  assert.equal(new Set(contents).size, contents.length, 'two languages or flavours look the same')
})

test('the committed pictures are the chosen ones, of states that exist, and small', async () => {
  const files = await readdir(COMMITTED)
  assert.deepEqual(files.sort(), CHOSEN.map(({ picture }) => picture.file).sort())
  for (const { picture } of CHOSEN) assert.ok(names.includes(picture.state), picture.state)
  const sizes = await Promise.all(files.map(async (file) => (await readFile(join(COMMITTED, file))).byteLength))
  const total = sizes.reduce((sum, size) => sum + size, 0)
  assert.ok(total < MAX_COMMITTED_BYTES, `${total} bytes`)
})

test('every picture in the README exists', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
  const shown = Array.from(readme.matchAll(/docs\/pictures\/([\w.-]+)/g), ([, file]) => String(file))
  assert.ok(shown.length > 0)
  const chosen = new Set(CHOSEN.map(({ picture }) => picture.file))
  for (const file of shown) assert.ok(chosen.has(file), file)
})
