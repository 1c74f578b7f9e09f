// Stories of input that was long, or in many pieces, and stopped a program for seconds or for good; each suite is one. CPU time is
// measured, so that a busy machine does not count.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parse } from 'smol-toml'
import { readPolicyTexts } from '../../src/aup/policy-texts.ts'
import { IcapParser } from '../../src/engine/icap/parser.ts'
import { warningsOf } from '../../src/engine/policy/explain/warnings.ts'
import { importConfiguration } from '../../src/gatewayctl/import/squidguard/import.ts'
import { policyDocuments } from '../../src/portal/verdict/policy-document.ts'
import { LOCALES } from '../../src/settings/sections/locales.ts'
import { tomlLines } from '../../src/settings/toml-lines.ts'
import { configure, policy } from '../engine/running-engine.ts'
import { catalogue } from '../support/catalogue.ts'
import { cpuMilliseconds } from '../support/cpu-time.ts'
import { policyFiles } from '../support/policy-files.ts'
import { rule } from '../support/rules.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

function assertQuick(limit: number, run: () => void): void {
  const milliseconds = cpuMilliseconds(run)
  assert.ok(milliseconds < limit, `${milliseconds} ms`)
}

// Seen: a client that sent 128 KiB of carriage returns byte by byte, without a token, took 47 seconds of the engine's CPU time,
// in which no other proxy got a decision. With each byte the whole head was searched for its end again. Since there is an ICAP
// listener. A head in one piece was not affected.
describe('an ICAP head was searched once for each byte', () => {
  function firstEvent(parts: readonly Buffer[]) {
    const parser = new IcapParser()
    const events = parts.map((part) => {
      parser.push(part)
      return parser.next()
    })
    return events.find((event) => event !== undefined)
  }
  const HEAD = Buffer.from(`OPTIONS icap://x/reqmod ICAP/1.0\r\nX-Filler: ${'\r'.repeat(100_000)}`)
  for (const [name, parts] of [
    ['byte by byte', Array.from(HEAD, (_, at) => HEAD.subarray(at, at + 1))],
    ['control: in one piece', [HEAD]],
  ] as const) {
    test(name, () => assertQuick(2000, () => assert.equal(firstEvent(parts), undefined)))
  }
  test('an end that is split between two parts is found', () => {
    const whole = Buffer.from('OPTIONS icap://x/reqmod ICAP/1.0\r\nHost: x\r\n\r\n')
    for (const at of [1, 2, 3, 4]) {
      assert.equal(firstEvent([whole.subarray(0, -at), whole.subarray(-at)])?.kind, 'icap', `${at} bytes late`)
    }
  })
})

// Seen: a reload of a policy with 10,000 rules stopped the engine's decisions for two seconds, and `--check` with 100,000 rules
// did not end within a minute. To find the line of a rule, all headers of the file were searched for each rule. In one line, a
// long number after `[` took 20 s, because each part of it was tried as a name. Since problems name lines. A policy with a
// hundred rules was not affected.
describe('ten thousand rules stopped decisions', () => {
  for (const [name, count] of [
    ['the lines of 30,000 rules', 30_000],
    ['control: the lines of a hundred rules', 100],
  ] as const) {
    test(name, () =>
      assertQuick(1500, () => {
        const find = tomlLines(Array.from({ length: count }, (_, index) => `[[rules]]\nname = "r${index}"\n`).join(''))
        for (let index = 0; index < count; index++) assert.equal(find(['rules', index, 'name']), 2 * index + 2)
      }),
    )
  }
  test('a line with a long number', () =>
    assertQuick(1500, () => void tomlLines(`numbers = [\n[0.${'0'.repeat(100_000)}\n]]\n`)))
})

// A rule with more than some 120,000 entries in `match` ended in "Maximum call stack size exceeded": --check printed a stack trace, and
// a reload kept the old policy with that text. Since the first version of the engine; found by an attack.
describe('a rule with many hosts was a stack overflow', () => {
  for (const count of [130_000, 2]) {
    test(`${count === 2 ? 'control: ' : ''}a policy with ${count} hosts and as many exceptions, and its warnings`, () => {
      const hosts = JSON.stringify(Array.from({ length: count }, (_, index) => `h${index}.casino.example`))
      const rules = rule('r', 'block', `match = ${hosts}`, `except = { match = ${hosts} }`)
      const { policy: loaded } = configure(policy(rules))
      const { deepest, byHost } = loaded.rules[0]?.match ?? assert.fail()
      assert.deepEqual([deepest, byHost.size], [3, count])
      assert.deepEqual(warningsOf(loaded, [], 0), [])
    })
  }
})

// Seen: with a policy of 256 KiB of `[a](`, which is within the limit, the portal took 45 s to start. To estimate how long the
// text is on the page, it removed the addresses of links, and searched from each `](` to the end of the text for a closing
// parenthesis that is not there. Since long policies have a sticky button. Links that are complete were not affected.
describe('unclosed links delayed the start', () => {
  for (const [name, unit] of [
    ['links without an end', '[a]('],
    ['control: complete links', '[a](b) '],
  ] as const) {
    test(name, async (t) => {
      const { path } = policyFiles(t, { 'aup.md': unit.repeat(Math.floor((256 * 1024) / unit.length)) })
      const options = { enabled: true, path, version: '1' }
      const { texts } = await readPolicyTexts(options, { default: 'en', supported: LOCALES })
      assert.ok(texts !== undefined)
      assertQuick(5000, () => void policyDocuments(catalogue, texts))
    })
  }
})

// Seen: `gatewayctl import squidguard` of a source with `continue` that passes thirty destinations never ended. For each of them it
// split the times of the rules in two, and removed those that can never be at the end alone. Since such sources are imported. A
// source without `continue` was not affected.
describe('an import doubled its work with each destination', () => {
  const names = Array.from({ length: 30 }, (_, at) => `d${at}`)
  const configurationWith = (continues: boolean) => `
    time day {
      weekly * 08:00-18:00
    }
    ${names.map((name, at) => `dest ${name} {\n domainlist ${name}\n${at === 29 ? ' within day\n' : ''} }`).join('\n')}
    src school {
      ip 10.0.0.0/8
      ${continues ? 'continue' : ''}
    }
    src lab {
      ip 10.1.0.0/16
    }
    acl {
      school {
        pass ${names.join(' ')} none
        redirect r
      }
      lab {
        pass all
        redirect r
      }
      default {
        pass all
        redirect r
      }
    }`
  for (const [name, continues, excepted] of [
    [
      'a source that continues: by day, and by night',
      true,
      [
        { name: 'school-none', when: 'day', except: { lists: names } },
        { name: 'school-none-2', when: 'outside-day', except: { lists: names.slice(0, 29) } },
      ],
    ],
    ['control: one that does not', false, []],
  ] as const) {
    test(name, (t) => {
      const dbhome = temporaryFolder(t)
      for (const list of names) writeFileSync(join(dbhome, list), `${list}.test\n`)
      const options = { file: 'squidGuard.conf', dbhome, year: 2026, output: undefined }
      let text = ''
      assertQuick(1000, () => {
        text = importConfiguration(configurationWith(continues), options).policy
      })
      const { rules }: { readonly rules: readonly Record<string, unknown>[] } = JSON.parse(JSON.stringify(parse(text)))
      const found = rules.flatMap(({ name, when, except }) => (except === undefined ? [] : [{ name, when, except }]))
      assert.deepEqual(found, excepted)
    })
  }
})
