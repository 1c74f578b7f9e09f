// The images' HEALTHCHECK: whether the program in this container responds. The engine's address is an argument.
import http from 'node:http'
import https from 'node:https'

const url = new URL(process.argv[2] ?? `http://127.0.0.1:${process.env.GATEWAY_CAPTIVE_LISTEN_PORT ?? '8000'}/healthz`)
const { get } = url.protocol === 'https:' ? https : http
// Nothing is sent, and no other program listens inside the container: the certificate does not matter.
get(url, { timeout: 2_000, rejectUnauthorized: false }, (response) => {
  process.exit(response.statusCode === 200 ? 0 : 1)
})
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1))
