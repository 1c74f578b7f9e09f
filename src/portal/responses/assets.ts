// The inline styles and scripts of all pages, and their hashes for the CSP.
import { createHash } from 'node:crypto'
import type { Palette } from '../../config/brand.ts'
import { type Html, trusted } from '../html/html.ts'
import type { Scripts } from '../pages/frame.ts'
import {
  CERTIFICATE_SCRIPT,
  CERTIFICATE_STYLE,
  CHOSEN_THEME_SCRIPT,
  FACE_STYLE,
  GUARD_SCRIPT,
  PAGE_SCRIPT,
  PASSPHRASE_SCRIPT,
  PIN_SCRIPT,
  POLICY_STYLE,
  STYLE,
  UNLOCK_SCRIPT,
} from '../theme/inlined.ts'
import { flavourCss } from '../theme/palettes.ts'

/** Texts to inline, and the CSP sources (`'sha256-…'`) that allow exactly these bytes. */
export interface Assets {
  readonly style: Html
  /** In addition to `style`, on the certificate page only. */
  readonly certificateStyle: Html
  readonly darkStyle: Html
  readonly noticeStyle: Html
  readonly scripts: Scripts
  readonly styleSource: string
  readonly noticeStyleSource: string
  readonly scriptSources: readonly string[]
  /** All styles and scripts of the certificate page. */
  readonly certificatePageSources: { readonly styles: readonly string[]; readonly scripts: readonly string[] }
}

const NOTICE_CSS =
  ':root{color-scheme:light dark}body{margin:0;padding:1rem;font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}h1{margin:0;font:inherit}'

/** @param withPolicy whether the operator has configured a policy */
export function buildAssets(palette: Palette, withPolicy = false): Assets {
  const style =
    flavourCss(palette, 'light') + STYLE + (palette === 'bsod' ? FACE_STYLE : '') + (withPolicy ? POLICY_STYLE : '')
  const darkStyle = flavourCss(palette, 'dark')
  return {
    style: trusted(style),
    darkStyle: trusted(darkStyle),
    certificateStyle: trusted(CERTIFICATE_STYLE),
    noticeStyle: trusted(NOTICE_CSS),
    scripts: {
      chosenTheme: trusted(CHOSEN_THEME_SCRIPT),
      page: trusted(PAGE_SCRIPT),
      guard: trusted(GUARD_SCRIPT),
      unlock: trusted(UNLOCK_SCRIPT),
      pin: trusted(PIN_SCRIPT),
      passphrase: trusted(PASSPHRASE_SCRIPT),
      certificate: trusted(CERTIFICATE_SCRIPT),
    },
    styleSource: [style, darkStyle].map(hashSource).join(' '),
    noticeStyleSource: hashSource(NOTICE_CSS),
    scriptSources: [CHOSEN_THEME_SCRIPT, PAGE_SCRIPT, GUARD_SCRIPT, UNLOCK_SCRIPT, PIN_SCRIPT, PASSPHRASE_SCRIPT].map(
      hashSource,
    ),
    certificatePageSources: {
      styles: [style, darkStyle, CERTIFICATE_STYLE].map(hashSource),
      scripts: [CHOSEN_THEME_SCRIPT, PAGE_SCRIPT, CERTIFICATE_SCRIPT].map(hashSource),
    },
  }
}

function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
