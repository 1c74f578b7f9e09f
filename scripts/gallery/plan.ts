// Which pictures the gallery takes: every page in every state, palette, flavour and language, or those that are wanted.
import { PALETTES, type Palette } from '../../src/config/brand.ts'
import { LOCALES, type Locale } from '../../src/config/locales.ts'
import type { PageState } from '../../src/portal/preview/page-states.ts'

const FLAVOURS = ['light', 'dark'] as const

export interface Picture {
  /** The page state's name. */
  readonly state: string
  readonly palette: Palette
  readonly flavour: (typeof FLAVOURS)[number]
  readonly locale: Locale
  readonly file: string
}

/** Values of each axis; one that is not named is wanted whole. */
export interface Wanted {
  readonly state?: readonly string[] | undefined
  readonly palette?: readonly string[] | undefined
  readonly flavour?: readonly string[] | undefined
  readonly locale?: readonly string[] | undefined
}

/** @throws RangeError that names what is not there, and what is */
export function planPictures(states: readonly Pick<PageState, 'name'>[], wanted: Wanted = {}): readonly Picture[] {
  const names = pick(
    'state',
    states.map(({ name }) => name),
    wanted.state,
  )
  const palettes = pick('palette', PALETTES, wanted.palette)
  const flavours = pick('flavour', FLAVOURS, wanted.flavour)
  const locales = pick('locale', LOCALES, wanted.locale)
  return names.flatMap((state) =>
    palettes.flatMap((palette) =>
      flavours.flatMap((flavour) =>
        locales.map((locale) => {
          return { state, palette, flavour, locale, file: `${state}.${palette}.${flavour}.${locale}.webp` }
        }),
      ),
    ),
  )
}

function pick<Value extends string>(
  axis: keyof Wanted,
  all: readonly Value[],
  wanted: readonly string[] | undefined,
): readonly Value[] {
  if (wanted === undefined) return all
  const unknown = wanted.filter((value) => !all.includes(value as Value))
  if (unknown.length > 0) throw new RangeError(`no ${axis} ${unknown.join(', ')}; there are: ${all.join(', ')}`)
  return all.filter((value) => wanted.includes(value))
}
