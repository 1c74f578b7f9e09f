// The contrasts of docs/theming.md (WCAG 1.4.3 and 1.4.11), in every palette and flavour.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flavourCss, withShortNames } from '../../src/html/palettes.ts'
import { PALETTES } from '../../src/settings/sections/operator.ts'

/** Property, background, minimum. */
const MINIMUM = [
  ['text', 'ground', 4.5],
  ['text', 'surface', 4.5],
  ['quiet', 'ground', 4.5],
  ['quiet', 'surface', 4.5],
  ['primary', 'ground', 4.5],
  ['primary', 'surface', 4.5],
  ['on-primary', 'plate', 4.5],
  // The edge of the primary action shows where it is.
  ['primary', 'surface', 3],
  ['stop', 'surface', 3],
  ['caution', 'surface', 3],
] as const

/** @param colour three or six hexadecimal digits after the # */
function luminance(colour: string): number {
  const digits = colour.length === 4 ? colour.replaceAll(/\w/g, '$&$&') : colour
  const [red = 0, green = 0, blue = 0] = Array.from(digits.matchAll(/\w\w/g), ([channel]) => {
    const part = Number.parseInt(channel, 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

for (const palette of PALETTES) {
  for (const flavour of ['light', 'dark'] as const) {
    test(`${palette}, ${flavour}: text, edges and shapes have enough contrast`, (t) => {
      const properties = Array.from(flavourCss(palette, flavour).matchAll(/--([a-z-]+):(#\w+)/g), ([, ...one]) => one)
      const colours = new Map(properties as [string, string][])
      const colourOf = (name: string) => colours.get(withShortNames(`--${name}`).slice(2)) ?? ''
      for (const [name, background, minimum] of MINIMUM) {
        const ratio = contrast(colourOf(name), colourOf(background))
        t.diagnostic(`${name} on ${background}: ${ratio.toFixed(2)}`)
        assert.ok(ratio >= minimum, `${name} on ${background}: ${ratio.toFixed(2)}`)
      }
    })
  }
}
