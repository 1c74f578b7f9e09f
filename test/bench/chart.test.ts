import assert from 'node:assert/strict'
import { test } from 'node:test'
import { positionOf, renderChart } from '../../bench/chart.ts'

test('a linear scale is even, and values beyond it are clamped', () => {
  const scale = { scale: 'linear', ticks: [0, 0.5, 1] } as const
  assert.equal(positionOf(scale, 0.25), 0.25)
  assert.equal(positionOf(scale, 3), 1)
  assert.equal(positionOf(scale, -1), 0)
})

test('on a logarithmic scale a factor of two has the same length everywhere', () => {
  const scale = { scale: 'logarithmic', ticks: [0.01, 1, 100] } as const
  assert.equal(positionOf(scale, 1).toFixed(6), '0.500000')
  const step = (value: number) => (positionOf(scale, 2 * value) - positionOf(scale, value)).toFixed(6)
  assert.equal(step(0.02), step(20))
})

test('text from outside does not become markup', () => {
  const figure = { median: 1, low: 0.5, high: 2, rounds: 24 }
  const plot = { scale: 'linear', ticks: [0, 2], labelOf: String, rows: [{ label: '<b>&', figure }] } as const
  const svg = renderChart('a < b', [{ ...plot, title: '<script>' }])
  assert.doesNotMatch(svg, /<b>|<script>/)
  assert.match(svg, /&lt;b&gt;&amp;/)
})
