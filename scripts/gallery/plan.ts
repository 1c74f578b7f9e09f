// Plans the gallery's pictures: every page in every state, palette, flavour and language, or a selection.

import type { PageState } from '../../src/portal/preview/page-states.ts'
import { PALETTES, type Palette } from '../../src/portal/settings/brand.ts'
import { LOCALES, type Locale } from '../../src/settings/sections/locales.ts'

const FLAVOURS = ['light', 'dark'] as const

export interface Picture {
  /** The page state's name. */
  readonly state: string
  readonly palette: Palette
  readonly flavour: (typeof FLAVOURS)[number]
  readonly locale: Locale
  readonly file: string
}

/** Selected values of each axis; all values of an axis that is not named. */
export interface Selection {
  readonly state?: readonly string[] | undefined
  readonly palette?: readonly string[] | undefined
  readonly flavour?: readonly string[] | undefined
  readonly locale?: readonly string[] | undefined
}

/** @throws RangeError that names the unknown and the available values */
export function planPictures(states: readonly Pick<PageState, 'name'>[], selected: Selection = {}): readonly Picture[] {
  const names = pick(
    'state',
    states.map(({ name }) => name),
    selected.state,
  )
  const palettes = pick('palette', PALETTES, selected.palette)
  const flavours = pick('flavour', FLAVOURS, selected.flavour)
  const locales = pick('locale', LOCALES, selected.locale)
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
  axis: keyof Selection,
  all: readonly Value[],
  selected: readonly string[] | undefined,
): readonly Value[] {
  if (selected === undefined) return all
  const unknown = selected.filter((value) => !all.includes(value as Value))
  if (unknown.length > 0) throw new RangeError(`no ${axis} ${unknown.join(', ')}; available: ${all.join(', ')}`)
  return all.filter((value) => selected.includes(value))
}
