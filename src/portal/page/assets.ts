// The inline styles and scripts of all pages, and their hashes for the CSP.
import { createHash } from 'node:crypto'
import { type Html, trusted } from '../../html/html.ts'
import { flavourCss } from '../../html/palettes.ts'
import type { Palette } from '../settings/brand.ts'
import type { Scripts } from './frame.ts'
import {
  BACK_SCRIPT,
  CERTIFICATE_SCRIPT,
  CERTIFICATE_STYLE,
  CHOSEN_THEME_SCRIPT,
  FACE_STYLE,
  LOCKED_OUT_SCRIPT,
  LOGO_STYLE,
  NOTICE_STYLE,
  PAGE_SCRIPT,
  PASSPHRASE_SCRIPT,
  PIN_SCRIPT,
  POLICY_STYLE,
  PROCEED_SCRIPT,
  RIGHT_TO_LEFT_STYLE,
  STYLE,
  WARNING_SCRIPT,
  WITHOUT_PIN_STYLE,
} from './theme/inlined.ts'

/** Texts to inline, and the CSP sources (`'sha256-…'`) that allow exactly these bytes. */
export interface Assets {
  readonly style: Html
  /** In addition to `style`, on the certificate page only. */
  readonly certificateStyle: Html
  /** In addition to `style`, on verdict and outcome pages but a policy with a PIN. */
  readonly withoutPinStyle: Html
  readonly darkStyle: Html
  /** In addition to `style`, on pages that are written from right to left. */
  readonly rightToLeftStyle: Html
  readonly noticeStyle: Html
  readonly scripts: Scripts
  readonly styleSource: string
  readonly noticeStyleSource: string
  readonly scriptSources: readonly string[]
  /** All styles and scripts of the certificate page and of the sheet to hand out. */
  readonly certificatePageSources: { readonly styles: readonly string[]; readonly scripts: readonly string[] }
}

/** @param configured whether the operator has configured a policy, a logo, and a language that is written from right to left */
export function buildAssets(
  palette: Palette,
  configured: { policy?: boolean; logo?: boolean; rightToLeft?: boolean } = {},
): Assets {
  const style = [
    flavourCss(palette, 'light'),
    palette === 'bsod' ? FACE_STYLE : STYLE,
    configured.policy && POLICY_STYLE,
    configured.logo && LOGO_STYLE,
  ]
    .filter((part) => typeof part === 'string')
    .join('')
  const darkStyle = flavourCss(palette, 'dark')
  const notice = `${flavourCss(palette, 'light')}@media(prefers-color-scheme:dark){${darkStyle}}${NOTICE_STYLE}`
  const shared = [style, darkStyle, ...(configured.rightToLeft ? [RIGHT_TO_LEFT_STYLE] : [])]
  return {
    style: trusted(style),
    darkStyle: trusted(darkStyle),
    rightToLeftStyle: trusted(RIGHT_TO_LEFT_STYLE),
    certificateStyle: trusted(CERTIFICATE_STYLE),
    withoutPinStyle: trusted(WITHOUT_PIN_STYLE),
    noticeStyle: trusted(notice),
    scripts: {
      chosenTheme: trusted(CHOSEN_THEME_SCRIPT),
      page: trusted(PAGE_SCRIPT),
      proceed: trusted(PROCEED_SCRIPT),
      back: trusted(BACK_SCRIPT),
      warning: trusted(WARNING_SCRIPT),
      pin: trusted(PIN_SCRIPT),
      passphrase: trusted(PASSPHRASE_SCRIPT),
      lockedOut: trusted(LOCKED_OUT_SCRIPT),
      certificate: trusted(CERTIFICATE_SCRIPT),
    },
    styleSource: [...shared, WITHOUT_PIN_STYLE].map(hashSource).join(' '),
    noticeStyleSource: hashSource(notice),
    scriptSources: [
      ...[CHOSEN_THEME_SCRIPT, PAGE_SCRIPT, PROCEED_SCRIPT],
      ...[BACK_SCRIPT, WARNING_SCRIPT, PIN_SCRIPT, PASSPHRASE_SCRIPT, LOCKED_OUT_SCRIPT],
    ].map(hashSource),
    certificatePageSources: {
      styles: [...shared, CERTIFICATE_STYLE].map(hashSource),
      scripts: [CHOSEN_THEME_SCRIPT, CERTIFICATE_SCRIPT, PAGE_SCRIPT].map(hashSource),
    },
  }
}

function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
