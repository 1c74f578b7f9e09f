// The gallery's index: a row of thumbnails for each palette and flavour of a state, linked to the pictures.

import { type Html, html, trusted } from '../../src/html/html.ts'
import type { PageState } from '../../src/portal/preview/page-states.ts'
import type { Picture } from './plan.ts'

const STYLE = trusted(`
  body { margin: 2rem; font: 1rem/1.5 system-ui, sans-serif; background: #777; color: #fff }
  a { color: inherit }
  nav { columns: 20rem }
  section { display: grid; grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)); gap: 1rem }
  figure { margin: 0 }
  img { display: block; width: 100%; height: 18rem; object-fit: cover; object-position: top }
`)

/** @param folder with the pictures, relative to the index */
export function indexPage(pictures: readonly Picture[], states: readonly PageState[], folder: string): Html {
  const shown = states.filter(({ name }) => pictures.some(({ state }) => state === name))
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Gallery</title>
<style>${STYLE}</style>
<h1>Every page, in every palette, flavour and language</h1>
<p>${pictures.length} pictures. The thumbnails show the top of each page; press one to see it whole.</p>
<nav><ul>${shown.map(({ name, title }) => html`<li><a href="#${name}">${title}</a></li>`)}</ul></nav>
${shown.map(
  ({ name, title }) => html`<h2 id="${name}">${title}</h2>
<section>${pictures.filter(({ state }) => state === name).map((picture) => thumbnail(picture, folder))}</section>
`,
)}
`
}

function thumbnail({ state, palette, flavour, locale, file }: Picture, folder: string): Html {
  return html`<figure><a href="${folder}/${file}"><img loading="lazy" src="${folder}/${file}" alt="${state}"></a>
<figcaption>${palette}, ${flavour}, ${locale}</figcaption></figure>`
}
