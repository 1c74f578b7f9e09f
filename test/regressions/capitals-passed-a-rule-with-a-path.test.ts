// Seen: `video.example/shorts` stopped /shorts, and not /Shorts, which servers that ignore case serve all the same. Rules have
// compared paths by case since they can name one.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { policy, startEngine } from '../engine/running-engine.ts'

const engine = await startEngine(
  { after },
  policy(
    `
  [[rules]]
  name = "no-shorts"
  match = ["video.example/shorts", "straße.example/Über"]
  except = { match = ["video.example/shorts/lessons"] }
  action = "block"
  [[rules]]
  name = "caution"
  match = ["video.example/live"]
  action = "warn"
  [[rules]]
  name = "video"
  match = ["video.example"]
  except = { match = ["video.example/Adult"] }
  action = "allow"
  [[rules]]
  name = "learn"
  match = ["learn.example/Lessons"]
  action = "allow"`,
    'default = "block"',
  ),
)

const deciding = async (url: string) => (await engine.decide(`https://${url}`)).json.rule ?? 'allowed'

describe('what stops does so in any case', () => {
  for (const [url, rule] of [
    ['video.example/Shorts', 'no-shorts'],
    ['video.example/SHORTS/ID', 'no-shorts'],
    ['video.example/%53horts', 'no-shorts'],
    ['video.example/%2553HORTS;v=1/ID', 'no-shorts'],
    ['xn--strae-oqa.example/%C3%BCBER', 'no-shorts'],
    ['video.example/LIVE', 'caution'],
    // Exceptions from what allows stop, too.
    ['video.example/adult', 'default'],
  ] as const) {
    test(url, async () => assert.equal(await deciding(url), rule))
  }
})

describe('what allows does so in the case in which it is written', () => {
  for (const [url, rule] of [
    ['learn.example/lessons', 'default'],
    ['learn.example/Lessons/%41', 'allowed'],
    // Exceptions from what stops allow, too.
    ['video.example/shorts/Lessons', 'no-shorts'],
  ] as const) {
    test(url, async () => assert.equal(await deciding(url), rule))
  }
})

test('control: as written, and other paths', async () => {
  assert.equal(await deciding('video.example/shorts/ID'), 'no-shorts')
  assert.equal(await deciding('video.example/shorts/lessons'), 'allowed')
  assert.equal(await deciding('video.example/SHORTSTOP?/shorts'), 'allowed')
})
