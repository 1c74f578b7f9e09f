// The style and scripts that every page carries inline, read once at start, and the hashes that its CSP names.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Palette } from '../config/brand.ts'
import { type Html, trusted } from './html/html.ts'
import { paletteCss } from './theme/palettes.ts'

/** Texts fit for inlining, and the CSP sources (`'sha256-…'`) that allow exactly these bytes. */
export interface Assets {
  readonly style: Html
  readonly noticeStyle: Html
  readonly chosenThemeScript: Html
  readonly pageScript: Html
  readonly unlockScript: Html
  readonly styleSource: string
  readonly noticeStyleSource: string
  readonly scriptSources: readonly string[]
}

const NOTICE_CSS =
  ':root{color-scheme:light dark}body{margin:0;padding:1rem;font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}'

export function loadAssets(palette: Palette): Assets {
  const style = paletteCss(palette) + compactCss(readTheme('style.css'))
  const scripts = ['chosen-theme.js', 'page.js', 'unlock.js'].map((file) => compactScript(readTheme(file)))
  const [chosenThemeScript, pageScript, unlockScript] = scripts.map(trusted) as [Html, Html, Html]
  return {
    style: trusted(style),
    noticeStyle: trusted(NOTICE_CSS),
    chosenThemeScript,
    pageScript,
    unlockScript,
    styleSource: hashSource(style),
    noticeStyleSource: hashSource(NOTICE_CSS),
    scriptSources: scripts.map(hashSource),
  }
}

function readTheme(file: string): string {
  return readFileSync(new URL(`theme/${file}`, import.meta.url), 'utf8')
}

function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

function compactCss(css: string): string {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>]) ?/g, '$1')
    .replace(/: /g, ':')
    .replace(/;}/g, '}')
    .trim()
}

/** Drops indentation and whole-line comments: what is left is still readable in a browser's inspector. */
function compactScript(script: string): string {
  return script
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('//'))
    .join('\n')
}
