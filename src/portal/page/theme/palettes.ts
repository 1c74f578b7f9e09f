// The three palettes as CSS custom properties, each with a light and a dark flavour.
import type { Palette } from '../../settings/brand.ts'

interface Flavour {
  /** The page's background, and the raised surface on it. */
  readonly ground: string
  readonly surface: string
  readonly text: string
  readonly quiet: string
  readonly line: string
  /** The one primary action and its text; links share its colour. */
  readonly primary: string
  readonly onPrimary: string
  /** The shapes of block and warn; aup uses the primary colour. */
  readonly stop: string
  readonly caution: string
}

const palettes: Readonly<Record<Palette, { readonly light: Flavour; readonly dark: Flavour }>> = {
  indigo: {
    light: {
      ground: '#f4f4f6',
      surface: '#fff',
      text: '#1c1c22',
      quiet: '#5a5a66',
      line: '#d9d9e0',
      primary: '#4338ca',
      onPrimary: '#fff',
      stop: '#b91c1c',
      caution: '#a14b00',
    },
    dark: {
      ground: '#131316',
      surface: '#1d1d22',
      text: '#ececf1',
      quiet: '#a9a9b6',
      line: '#3a3a44',
      primary: '#a5b0ff',
      onPrimary: '#15153a',
      stop: '#ff9a93',
      caution: '#ffbe6b',
    },
  },
  amber: {
    light: {
      ground: '#faf3e3',
      surface: '#fffcf4',
      text: '#2b1d0e',
      quiet: '#6b5842',
      line: '#e3d3b4',
      primary: '#8a4b00',
      onPrimary: '#fffaf0',
      stop: '#a3200d',
      caution: '#8a4b00',
    },
    dark: {
      ground: '#1d140b',
      surface: '#291d11',
      text: '#f7ead4',
      quiet: '#c8b394',
      line: '#4f3b24',
      primary: '#ffbf47',
      onPrimary: '#2b1a00',
      stop: '#ffa18f',
      caution: '#ffbf47',
    },
  },
  bsod: {
    light: {
      ground: '#0a4fb3',
      surface: '#0a4fb3',
      text: '#fff',
      quiet: '#dbe8ff',
      line: '#3b75cb',
      primary: '#fff',
      onPrimary: '#0a3f91',
      stop: '#fff',
      caution: '#fff',
    },
    dark: {
      ground: '#000',
      surface: '#000',
      text: '#fff',
      quiet: '#c4c4c4',
      line: '#3d3d3d',
      primary: '#fff',
      onPrimary: '#000',
      stop: '#fff',
      caution: '#fff',
    },
  },
}

const NAMES = ['ground', 'surface', 'text', 'quiet', 'line', 'primary', 'on-primary', 'stop', 'caution']

/** On pages the custom properties have names of one letter, to save space: `--ground` is `--a`. */
export function withShortNames(css: string): string {
  return css.replace(/--([a-z-]+)/g, (property, name: string) => {
    const index = NAMES.indexOf(name)
    return index === -1 ? property : `--${String.fromCharCode(97 + index)}`
  })
}

/** The custom properties of a palette's flavour; the browser's own controls and scrollbars follow. */
export function flavourCss(palette: Palette, flavour: 'light' | 'dark'): string {
  const { onPrimary, ...rest } = palettes[palette][flavour]
  const properties = Object.entries({ ...rest, 'on-primary': onPrimary }).map(([name, value]) => `--${name}:${value}`)
  return withShortNames(`:root{color-scheme:${flavour};${properties.join(';')}}`)
}
