// The few committed pictures, for the README: pages on a phone and on a desktop.
import type { Picture } from './plan.ts'
import type { Format } from './take-pictures.ts'

const DESKTOP: Format = { width: 800, scale: 1.5 }
const PHONE: Format = { width: 390, height: 844, scale: 1.5 }

export const CHOSEN: readonly { readonly picture: Picture; readonly format: Format }[] = [
  {
    picture: { state: 'warned', palette: 'indigo', flavour: 'light', locale: 'en', file: 'warned.png' },
    format: DESKTOP,
  },
  {
    picture: { state: 'blocked', palette: 'indigo', flavour: 'dark', locale: 'fr', file: 'blocked.webp' },
    format: PHONE,
  },
  {
    picture: { state: 'warned-pin', palette: 'amber', flavour: 'light', locale: 'de', file: 'pin.webp' },
    format: PHONE,
  },
  { picture: { state: 'aup', palette: 'amber', flavour: 'dark', locale: 'it', file: 'aup.webp' }, format: PHONE },
  { picture: { state: 'blocked', palette: 'bsod', flavour: 'light', locale: 'en', file: 'bsod.webp' }, format: PHONE },
]
