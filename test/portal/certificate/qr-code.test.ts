// Compares the drawing of a QR code with the code, module by module.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encode } from 'uqr'
import { qrCode } from '../../../src/portal/certificate/qr-code.ts'

const QUIET_ZONE = 4

/** Which modules are dark, read from the strokes of the drawing. */
function darkModules(markup: string): { side: number; dark: Set<string> } {
  const side = Number(/viewBox="0 0 (\d+) \1"/.exec(markup)?.[1])
  const dark = new Set<string>()
  const [, path = ''] = /stroke="#000" d="([^"]*)"/.exec(markup) ?? []
  let [x, y] = [0, 0]
  const strokes = [...path.matchAll(/([Mmh])(\d+)(?: (\d+)(?:\.5)?)?/g)]
  assert.ok(strokes.length > 0, 'nothing is drawn')
  for (const [, command, first, second] of strokes) {
    if (command === 'M') [x, y] = [Number(first), Number(second)]
    else if (command === 'm') x += Number(first)
    else for (const end = x + Number(first); x < end; x++) dark.add(`${x} ${y}`)
  }
  return { side, dark }
}

for (const address of ['http://portal.example/ca', 'http://captive-portal.school.northwind.example:8080/ca']) {
  test(`draws ${address}, with white around it`, () => {
    const { side, dark } = darkModules(qrCode(address).toString())
    const { data, size } = encode(address, { ecc: 'M', border: 0 })
    assert.equal(side, size + 2 * QUIET_ZONE)
    const expected = data.flatMap((row, y) =>
      row.flatMap((isDark, x) => (isDark ? `${x + QUIET_ZONE} ${y + QUIET_ZONE}` : [])),
    )
    assert.deepEqual([...dark], expected)
  })
}
