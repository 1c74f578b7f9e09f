// The image's HEALTHCHECK: whether the portal in this container responds.
import { get } from 'node:http'

const port = process.env.GATEWAY_CAPTIVE_LISTEN_PORT ?? '8000'
get({ host: '127.0.0.1', port, path: '/healthz', timeout: 2_000 }, (response) => {
  process.exit(response.statusCode === 200 ? 0 : 1)
})
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1))
