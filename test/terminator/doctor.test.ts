// What `gatewayctl portal doctor` says of the shipped deployment: nginx, portal and engine over TLS.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { policy } from '../engine/running-engine.ts'
import { gatewayctl } from '../gatewayctl/gatewayctl.ts'
import { skipWithoutNginx } from '../support/terminator.ts'
import { startChain } from './chain.ts'

const RULES = `
  [[rules]]
  name = "news"
  match = ["news.example"]
  action = "block"`

test('the shipped deployment is right', { skip: skipWithoutNginx }, async () => {
  const { engine, caFile, baseUrl, plainUrl } = await startChain({ after }, policy(RULES))
  const { status, stdout, stderr } = await gatewayctl(['portal', 'doctor', '--json'], {
    env: {
      GATEWAY_CAPTIVE_BASE_URL: baseUrl,
      GATEWAY_CAPTIVE_HTTPS_PORT: new URL(baseUrl).port,
      GATEWAY_CAPTIVE_HTTP_PORT: new URL(plainUrl).port,
      GATEWAY_CAPTIVE_CA_PATH: caFile,
      ENGINE_INTERNAL_URL: `https://127.0.0.1:${engine.port}`,
    },
  })
  assert.deepEqual([status, stderr], [0, ''], stdout)
})
