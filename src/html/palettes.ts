// The three palettes as CSS custom properties, each with a light and a dark flavour.
import type { Palette } from '../settings/sections/operator.ts'

interface Flavour {
  /** The page's background, and the raised surface on it. */
  readonly ground: string
  readonly surface: string
  readonly text: string
  readonly quiet: string
  readonly line: string
  /** Links, the edge of the primary action, and every sign but those of block and warn. */
  readonly primary: string
  /** The primary action and its text. */
  readonly plate: string
  readonly onPrimary: string
  /** The signs of block and warn. */
  readonly stop: string
  readonly caution: string
}

const palettes: Readonly<Record<Palette, { readonly light: Flavour; readonly dark: Flavour }>> = {
  indigo: {
    light: {
      ground: '#f7f7f4',
      surface: '#fff',
      text: '#17181c',
      quiet: '#5b5e66',
      line: '#e3e3dd',
      primary: '#3d42c4',
      plate: '#3d42c4',
      onPrimary: '#fff',
      stop: '#b3212b',
      caution: '#8f4a00',
    },
    dark: {
      ground: '#121315',
      surface: '#191a1e',
      text: '#ececee',
      quiet: '#a3a6b0',
      line: '#2e3036',
      primary: '#aab2ff',
      plate: '#aab2ff',
      onPrimary: '#15173a',
      stop: '#ff9a93',
      caution: '#ffbe6b',
    },
  },
  amber: {
    light: {
      ground: '#fbf7ec',
      surface: '#fffdf7',
      text: '#2a1f10',
      quiet: '#6a5940',
      line: '#ebdfc6',
      primary: '#8a5000',
      plate: '#ffb938',
      onPrimary: '#2a1c00',
      stop: '#a3200d',
      caution: '#8a5000',
    },
    dark: {
      ground: '#191208',
      surface: '#22190d',
      text: '#f6ead5',
      quiet: '#c6b291',
      line: '#3d2f1b',
      primary: '#ffc04d',
      plate: '#ffc04d',
      onPrimary: '#2b1a00',
      stop: '#ffa18f',
      caution: '#ffc04d',
    },
  },
  bsod: {
    light: {
      ground: '#0063b8',
      surface: '#0063b8',
      text: '#fff',
      quiet: '#e3f0ff',
      line: '#3d8bd1',
      primary: '#fff',
      plate: '#fff',
      onPrimary: '#00427c',
      stop: '#fff',
      caution: '#fff',
    },
    dark: {
      ground: '#000',
      surface: '#000',
      text: '#fff',
      quiet: '#c4c4c4',
      line: '#333',
      primary: '#fff',
      plate: '#fff',
      onPrimary: '#000',
      stop: '#fff',
      caution: '#fff',
    },
  },
}

const NAMES = [
  'ground',
  'surface',
  'text',
  'quiet',
  'line',
  'primary',
  'plate',
  'on-primary',
  'stop',
  'caution',
  'sign',
]

/** On pages the custom properties have names of one letter, to save space: `--ground` is `--a`. */
export function withShortNames(css: string): string {
  return css.replace(/(--[a-z]+): /g, '$1:').replace(/--([a-z-]+)/g, (property, name: string) => {
    const index = NAMES.indexOf(name)
    return index === -1 ? property : `--${String.fromCharCode(97 + index)}`
  })
}

/** The custom properties of a palette's flavour; the browser's own controls and scrollbars follow. */
export function flavourCss(palette: Palette, flavour: 'light' | 'dark'): string {
  return withShortNames(`:root{${flavourProperties(palette, flavour)}}`)
}

/** The same for pages outside the portal, which have the long names. */
export function flavourProperties(palette: Palette, flavour: 'light' | 'dark'): string {
  const { onPrimary, ...rest } = palettes[palette][flavour]
  const properties = Object.entries({ ...rest, 'on-primary': onPrimary }).map(([name, value]) => `--${name}:${value}`)
  return `color-scheme:${flavour};${properties.join(';')}`
}
