// The section [icap] and the options that replace its keys.
import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { type CommandLine, parseCommandLine } from '../../../src/engine/settings/command-line.ts'
import type { Settings } from '../../../src/engine/settings/settings.ts'
import { makeServed } from '../../support/certificates.ts'
import { skipWithoutOpenssl } from '../../support/requirement.ts'
import { rule } from '../../support/rules.ts'
import { loadSettings, NO_OPTIONS, policy } from '../running-engine.ts'

const TOKEN = 'token-for-the-proxy-0123'

/** @param files by the path that is read */
function load(
  section: string,
  files: Record<string, string> = {},
  options: Partial<CommandLine> = {},
): Settings['icap'] {
  const all: Record<string, string> = { '/etc/gateway/policy.toml': policy(section), ...files }
  const readFile = (path: string) => {
    const text = all[path]
    if (text === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
    return Buffer.from(text)
  }
  return loadSettings({ ...NO_OPTIONS, config: '/etc/gateway/policy.toml', ...options }, readFile).icap
}

const TOKEN_FILE = { '/etc/gateway/token': `${TOKEN}\n` }
const problems = (...args: Parameters<typeof load>) => {
  try {
    load(...args)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

test('without the section there is no listener; its defaults', () => {
  assert.equal(load(''), undefined)
  assert.deepEqual(load('[icap]\ntoken_file = "token"', TOKEN_FILE), {
    ...{ host: '127.0.0.1', port: 1344, clients: undefined, token: TOKEN },
    ...{ tls: undefined, connect: 'decide', username: 'plain' },
  })
})

test('the options suffice, and replace the keys', () => {
  const found = parseCommandLine(['--config', 'x', '--icap', '[::1]:0', '--icap-token-file', 'here/token'])
  assert.ok(typeof found !== 'string')
  const { icap, icapTokenFile } = found
  const here = resolve('here/token')
  assert.equal(icapTokenFile, here)
  const settings = load('', { [here]: TOKEN }, { icap, icapTokenFile })
  assert.deepEqual([settings?.host, settings?.port, settings?.token], ['::1', 0, TOKEN])
  const file = '[icap]\nlisten = "127.0.0.1:1"\ntoken_file = "token"\nconnect = "allow"'
  const replaced = load(file, { [here]: TOKEN }, { icap, icapTokenFile })
  assert.deepEqual([replaced?.host, replaced?.token, replaced?.connect], ['::1', TOKEN, 'allow'])
})

test('a token is required, and is not shown', () => {
  assert.match(problems('[icap]'), /icap\.token_file must be set, here or with --icap-token-file/)
  assert.match(problems('', {}, { icap: '127.0.0.1:0' }), /icap\.token_file must be set/)
  assert.match(
    problems('[icap]\ntoken_file = "token"'),
    /icap\.token_file must name a file that can be read \(ENOENT\)/,
  )
  const short = problems('[icap]\ntoken_file = "token"', { '/etc/gateway/token': 'short' })
  assert.match(short, /icap\.token_file must name a file with 16 to 512 visible ASCII characters/)
  assert.doesNotMatch(short, /short/)
})

test('beyond loopback only with TLS', { skip: skipWithoutOpenssl }, () => {
  const section = (listen: string, tls = '') => `[icap]\ntoken_file = "token"\nlisten = "${listen}"\n${tls}`
  for (const listen of ['127.0.0.1:0', '127.1.2.3:1344', '[::1]:1344', 'localhost:1344']) {
    assert.equal(problems(section(listen), TOKEN_FILE), '', listen)
  }
  for (const host of ['0.0.0.0', '[::]', '10.0.0.1', 'engine.example', '[::ffff:127.0.0.1]']) {
    assert.match(
      problems(section(`${host}:1344`), TOKEN_FILE),
      /icap\.listen must be a loopback address unless icap\.tls/,
      host,
    )
  }
  const { leaf } = makeServed('localhost')
  const tls = 'tls = { cert = "leaf.crt", key = "leaf.key" }'
  const pair = { ...TOKEN_FILE, '/etc/gateway/leaf.crt': leaf.certificate, '/etc/gateway/leaf.key': leaf.key }
  assert.deepEqual(load(section('0.0.0.0:1344', tls), pair)?.tls, {
    cert: Buffer.from(leaf.certificate),
    key: Buffer.from(leaf.key),
  })
  const wrong = { ...pair, '/etc/gateway/leaf.key': makeServed('localhost').leaf.key }
  assert.match(problems(section('0.0.0.0:1344', tls), wrong), /icap\.tls\.cert must name a certificate in PEM/)
  assert.match(problems(section('0.0.0.0:1344', tls), TOKEN_FILE), /icap\.tls\.key must name a file that can be read/)
})

test('with the control API’s certificate, by key and by option', () => {
  const beyond = '[icap]\ntoken_file = "token"\nlisten = "0.0.0.0:1344"\n'
  assert.equal(load(`${beyond}tls = "control"`, TOKEN_FILE)?.tls, 'control')
  const found = parseCommandLine(['--config', 'x', '--icap-tls'])
  assert.ok(typeof found !== 'string')
  const { icapTls } = found
  assert.equal(load(beyond, TOKEN_FILE, { icapTls })?.tls, 'control')
  assert.equal(load(`${beyond}tls = { cert = "x", key = "y" }`, TOKEN_FILE, { icapTls })?.tls, 'control')
})

test('connect = "allow" opens no host that a locked rule stops: the proxy may not decrypt it', () => {
  const icap = (connect: string) => `[icap]\ntoken_file = "token"\nconnect = "${connect}"\n`
  const locked = rule('r', 'block', 'match = ["x.example"]', 'locked = true')
  assert.equal(problems(`${icap('decide')}${locked}`, TOKEN_FILE), '')
  assert.equal(problems(`${icap('allow')}${locked.replace('true', 'false')}`, TOKEN_FILE), '')
  assert.match(
    problems(`${icap('allow')}${locked}`, TOKEN_FILE),
    /icap\.connect must be "decide" where a rule is locked/,
  )
})

test('values that are none', () => {
  for (const [line, problem] of [
    ['connect = "maybe"', /icap\.connect must be "decide" or "allow"/],
    ['username = "utf-8"', /icap\.username must be "plain" or "base64"/],
    ['clients = []', /icap\.clients must name at least one address/],
    ['clients = ["proxy.example"]', /icap\.clients\[1\] must be an IP address/],
    ['tls = "yes"', /icap\.tls must be "control", or \{ cert = "FILE", key = "FILE" \}/],
    ['tls = { cert = "a" }', /icap\.tls must be "control", or/],
    ['listen = "1344"', /icap\.listen must be HOST:PORT/],
    ['service = "/x"', /icap\.service must not be set/],
  ] as const) {
    assert.match(problems(`[icap]\ntoken_file = "token"\n${line}`, TOKEN_FILE), problem, line)
  }
})
