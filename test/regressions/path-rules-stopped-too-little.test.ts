// Stories of rules with a path, which let through what they name; each suite is one.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { outcome } from '../engine/icap/icap-client.ts'
import { TOKEN } from '../engine/icap/messages.ts'
import { configure, policy, startEngine } from '../engine/running-engine.ts'
import { rule } from '../support/rules.ts'

// Seen: `video.example/shorts` stopped /shorts, and not /Shorts, which servers that ignore case serve all the same. Rules have
// compared paths by case since they can name one.
describe('capitals passed a rule with a path', async () => {
  const rules = [
    rule(
      'no-shorts',
      'block',
      'match = ["video.example/shorts", "straße.example/Über"]',
      'except = { match = ["video.example/shorts/lessons"] }',
    ),
    rule('caution', 'warn', 'match = ["video.example/live"]'),
    rule('video', 'allow', 'match = ["video.example"]', 'except = { match = ["video.example/Adult"] }'),
    rule('learn', 'allow', 'match = ["learn.example/Lessons"]'),
  ]
  const engine = await startEngine({ after }, policy(rules.join(''), 'default = "block"'))
  for (const [name, cases] of Object.entries({
    'what stops does so in any case': {
      'video.example/Shorts': 'no-shorts',
      'video.example/SHORTS/ID': 'no-shorts',
      'video.example/%53horts': 'no-shorts',
      'video.example/%2553HORTS;v=1/ID': 'no-shorts',
      'xn--strae-oqa.example/%C3%BCBER': 'no-shorts',
      'video.example/LIVE': 'caution',
      // Exceptions from what allows stop, too.
      'video.example/adult': 'default',
    },
    'what allows does so in the case in which it is written': {
      'learn.example/lessons': 'default',
      'learn.example/Lessons/%41': 'allowed',
      // Exceptions from what stops allow, too.
      'video.example/shorts/Lessons': 'no-shorts',
    },
    'control: as written, and other paths': {
      'video.example/shorts/ID': 'no-shorts',
      'video.example/shorts/lessons': 'allowed',
      'video.example/SHORTSTOP?/shorts': 'allowed',
    },
  })) {
    test(name, async () => {
      for (const [url, expected] of Object.entries(cases)) {
        assert.equal((await engine.decide(`https://${url}`)).json.rule ?? 'allowed', expected, url)
      }
    })
  }
})

// Seen: with a rule that blocks video.example/shorts, `curl --path-as-is https://video.example/shorts/ID/../..` was forwarded,
// and with a rule that allows video.example/lessons alone, `/shorts/ID/../../lessons` was. Rules compared the path that the URL
// parser makes of it, which resolves dot segments and takes a backslash for a slash; but the proxy forwards it as the visitor
// sent it, and a server may look no further than `/shorts/ID`. Encoded letters with dot segments that only some servers resolve
// (`/%73horts/ID/..;/..;/`) passed both forms that were compared. Since rules can name a path.
describe('a path rule was passed with dot segments', async () => {
  const start = (action: string, path: string, topLevel = '') => {
    const icap = '[icap]\nlisten = "127.0.0.1:0"\ntoken_file = "icap-token"\n'
    const rules = rule('path', action, `match = ["video.example${path}"]`) + icap
    return startEngine({ after }, policy(rules, topLevel), { files: { 'icap-token': TOKEN } })
  }
  const blocking = await start('block', '/shorts')
  const allowing = await start('allow', '/lessons', 'default = "block"')

  for (const [name, engine, cases] of [
    [
      'a rule that blocks /shorts',
      blocking,
      {
        '/shorts/ID/../..': '400',
        '/shorts/ID\\..\\..': '400',
        '/shorts/ID/%2e%2e/%2E%2E/': '400',
        '/shorts/ID/.%2e/%2e.': '400',
        '/%73horts/ID/..;/..;/': '302',
        '/%73horts/ID/..;/..;/x': '302',
        // Control: paths that have one reading, and dot segments in names and in the query.
        '/shorts/ID': '302',
        '/watch/ID': 'allowed',
        '/watch/..ID/...?/../shorts/..': 'allowed',
      },
    ],
    [
      'a rule that allows /lessons alone',
      allowing,
      {
        '/shorts/ID/../../lessons': '400',
        '/shorts\\..\\lessons': '400',
        '/shorts/%2e%2E/lessons': '400',
        // Control.
        '/lessons/1': 'allowed',
        '/shorts/1': '302',
      },
    ],
  ] as const) {
    test(name, async () => {
      for (const [path, expected] of Object.entries(cases)) {
        for (const target of [path, `http://video.example${path}`]) {
          const http = `GET ${target} HTTP/1.1\r\nHost: video.example\r\n\r\n`
          assert.equal(await outcome(engine.icapPort as number, { http }), expected, target)
        }
      }
    })
  }
})

// Seen: `"glob.example/*"` was read as the path `/*`, `"a.example/*/shorts"` likewise, and `"192.0.2.128/25"` as a host with the path
// `/25`. Such a rule never matched, `--check` found no problem, and what it should have blocked was open; since rules can name a
// path. `exempt = ["bank.example:8443"]` exempted all ports of the host.
describe('entries that match nothing were accepted', () => {
  const blocking = (...entries: readonly string[]) => policy(rule('r', 'block', `match = ${JSON.stringify(entries)}`))

  test('each blocks what it names; control: a path, an address', async (t) => {
    const entries = ['glob.example/*', '192.0.2.128/25', 'control.example/any', '198.51.100.200']
    const engine = await startEngine(t, blocking(...entries))
    for (const host of ['glob.example', '192.0.2.200', 'control.example', '198.51.100.200']) {
      assert.equal((await engine.decide(`https://${host}/any/page`)).json.verdict, 'block', host)
    }
  })
  test('an entry that could never match, and an exemption with a port, are problems', () => {
    assert.throws(
      () => configure(blocking('a.example/*/shorts')),
      /rules\[1\]\.match\[1\] must have \* .*; write "a\.example"/,
    )
    const exempting = (entry: string) => configure(policy(`[inspection]\nexempt = ["${entry}"]`))
    assert.throws(
      () => exempting('bank.example:8443'),
      /inspection\.exempt\[1\] must have no port.*; write "bank\.example"/,
    )
    // Control.
    exempting('bank.example')
  })
})
