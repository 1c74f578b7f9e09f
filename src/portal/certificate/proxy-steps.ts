// The proxy that devices are set to: what to type, and where, per system.

import { type Html, html } from '../../html/html.ts'
import { detailRow } from '../page/detail-row.ts'
import type { Visit } from '../page/frame.ts'
import { copyable, type System, systemName } from './systems.ts'

/** As devices reach it. */
export interface ShownProxy {
  readonly host: string
  readonly port: number
  /** The address of the PAC file. */
  readonly pac: string
}

/**
 * @param system the visitor's, if known; otherwise the steps of every system
 * @param isPlainHttp whether the device may not trust the CA yet: the sheet exists over https only
 */
export function proxySteps(
  visit: Visit,
  proxy: ShownProxy,
  { system, isPlainHttp }: { readonly system: System | undefined; readonly isPlainHttp: boolean },
): Html {
  const { heading, text, where, sheet } = visit.t.certificate.proxy
  return html`<h2 id="proxy">${heading}</h2>
<p>${text}</p>
${proxyDetails(visit, proxy)}
${
  system === undefined
    ? html`<dl>${(Object.keys(where) as System[]).map((one) => detailRow(html`<bdi>${systemName(one)}</bdi>`, where[one]))}</dl>`
    : html`<p>${where[system]}</p>`
}${!isPlainHttp && html`\n<p><a href="/ca/sheet">${sheet}</a></p>`}`
}

/** What devices ask for, to copy. */
export function proxyDetails({ t }: Visit, { host, port, pac }: ShownProxy): Html {
  const { server, port: portLabel, automatic } = t.certificate.proxy
  return html`<dl>
${detailRow(automatic, copyable('pac', pac), true)}
${detailRow(server, copyable('proxy-host', host), true)}
${detailRow(portLabel, copyable('proxy-port', String(port)), true)}
</dl>`
}
