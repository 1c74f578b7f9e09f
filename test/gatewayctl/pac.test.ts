// `portal pac`: the file for the configured host; test/settings/pac.test.ts covers its content.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pacFile } from '../../src/gatewayctl/portal/pac-file.ts'
import { gatewayctl } from './gatewayctl.ts'

const PAC = ['portal', 'pac', '--proxy', 'proxy.example:3128']
const PROXY = { host: 'proxy.example', port: 3128 }

test('for the configured host, and further hosts', async () => {
  const env = { GATEWAY_CAPTIVE_HOSTNAME: 'Portal.Example', GATEWAY_CAPTIVE_BASE_URL: 'https://portal.example' }
  const { status, stdout, stderr } = await gatewayctl([...PAC, '--direct', 'a.example', 'B.example.'], { env })
  assert.deepEqual([status, stderr], [0, ''])
  assert.equal(stdout, pacFile(PROXY, ['portal.example', 'a.example', 'b.example']))
})

test('warns about an inconsistent address, apart from the file', async () => {
  const { status, stdout, stderr } = await gatewayctl(PAC, {
    env: { GATEWAY_CAPTIVE_BASE_URL: 'https://other.example' },
  })
  assert.equal(status, 0)
  assert.equal(stdout, pacFile(PROXY, ['localhost', 'other.example']))
  assert.match(stderr, /^GATEWAY_CAPTIVE_BASE_URL names the host other\.example, but .*\n.*each visitor’s own machine/)
})

test('hostile values are rejected', async () => {
  const outcomes = await Promise.all([
    gatewayctl(['portal', 'pac']),
    gatewayctl(['portal', 'pac', '--proxy', 'proxy:80"; DIRECT']),
    gatewayctl([...PAC, '--direct', '"]; alert(1); ["']),
    gatewayctl(PAC, { env: { GATEWAY_CAPTIVE_HOSTNAME: '"];x' } }),
  ])
  for (const { status, stdout } of outcomes) assert.deepEqual([status, stdout], [2, ''])
})
