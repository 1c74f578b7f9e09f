// The section [presence], and the networks in which a report names a user.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rangeText } from '../../../src/network/address-range.ts'
import { API_TOKEN, loadSettings, NO_OPTIONS, policy } from '../running-engine.ts'

const TOKEN = 'token-of-the-radius-server'
const ICAP = '[icap]\ntoken_file = "icap-token"\n'
const PRESENCE = '[presence]\ntoken_file = "presence-token"\n'

function load(section: string, env: Readonly<Record<string, string>> = {}, token = TOKEN) {
  const files: Readonly<Record<string, string>> = {
    '/etc/gateway/policy.toml': policy(
      section,
      '',
      `api_token = "${API_TOKEN}"\nadmin_token = "token-of-the-administrator"`,
    ),
    '/etc/gateway/presence-token': `${token}\n`,
    '/etc/gateway/icap-token': 'token-for-the-proxy-0123',
  }
  const readFile = (path: string) => {
    const text = files[path]
    if (text === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
    return Buffer.from(text)
  }
  return loadSettings({ ...NO_OPTIONS, config: '/etc/gateway/policy.toml', env }, readFile)
}

function problems(...args: Parameters<typeof load>): string {
  try {
    load(...args)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

test('without the section nobody reports; networks are those of the proxy', () => {
  assert.deepEqual(load('').presence, { token: undefined, authExcept: [] })
  const { presence, warnings } = load(PRESENCE, { PROXY_AUTH_EXCEPT: '192.168.50.0/24, ::ffff:10.0.0.0/104' })
  assert.deepEqual([presence.token, presence.authExcept.map(rangeText)], [TOKEN, ['192.168.50.0/24', '10.0.0.0/8']])
  assert.deepEqual(warnings, [])
  assert.match(
    load(PRESENCE).warnings.join(),
    /^\[presence\]: no report names a user until PROXY_AUTH_EXCEPT names networks/,
  )
})

test('every mistake, and no token is shown', () => {
  for (const [args, expected] of [
    [['[presence]\n'], /presence\.token_file must be set/],
    [['[presence]\ntoken_file = "nowhere"\n'], /presence\.token_file must name a file/],
    [['[presence]\ntoken_file = "presence-token"\nlisten = "x"\n'], /presence/],
    [[PRESENCE, {}, 'short'], /presence\.token_file must name a file with 16 to 512 visible ASCII characters/],
    [[PRESENCE, {}, API_TOKEN], /presence\.token_file must name a file with another token than control\.api_token/],
    [[PRESENCE, {}, 'token-of-the-administrator'], /another token than control\.admin_token/],
    [[`${PRESENCE}${ICAP}`, {}, 'token-for-the-proxy-0123'], /another token than the token of icap\.token_file/],
    [[PRESENCE, { PROXY_AUTH_EXCEPT: '192.168.50.0/33' }], /PROXY_AUTH_EXCEPT must be addresses and networks/],
  ] as const) {
    const text = problems(...(args as unknown as Parameters<typeof load>))
    assert.match(text, expected)
    for (const secret of [API_TOKEN, 'token-of-the-administrator', 'token-for-the-proxy-0123', 'short']) {
      assert.ok(!text.includes(secret), text)
    }
  }
})
