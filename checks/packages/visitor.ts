// A visitor of the machine's gateway, with curl.
import assert from 'node:assert/strict'
import type { Machine } from './machine.ts'

/**
 * Opens a site that needs an acknowledgement, and acknowledges on the portal's page.
 * @param gateway the proxy's address, and the file of the CA's certificate on the machine
 * @returns the address of the portal's page
 */
export function acknowledge(
  machine: Machine,
  gateway: { readonly proxy: string; readonly ca: string },
  url: string,
): string {
  const client = `curl -sS --cacert ${gateway.ca} --cookie-jar /root/jar --cookie /root/jar`
  const page = machine.run(`${client} --proxy ${gateway.proxy} -o /dev/null -w '%{redirect_url}' '${url}'`)
  assert.match(machine.run(`${client} '${page}'`), /href="\/api\/captive\/ack\?/)
  const address = page.replace(/\/(warned|aup)\?/, '/api/captive/ack?')
  assert.notEqual(address, page)
  const sameOrigin = "-H 'Sec-Fetch-Site: same-origin' -o /dev/null"
  assert.equal(machine.run(`${client} ${sameOrigin} -w '%{http_code} %{redirect_url}' '${address}'`), `302 ${url}`)
  return page
}
