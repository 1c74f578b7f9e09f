// The portal's own responses: their constant headers, the response's own, and the length.

import { Html } from '../../html/html.ts'
import type { Locale } from '../../settings/sections/locales.ts'
import { type Body, bodyLength } from '../page/body.ts'
import { toByteString } from '../page/byte-string.ts'
import type { Exchange } from './exchange.ts'
import type { HttpResponse } from './handler.ts'
import type { Headers, ResponseHeaders } from './response-headers.ts'

/** Returns a response of one kind. `headers`: name, value, name, … */
type Build = (exchange: Exchange, status: number, content: Html | Body, headers?: readonly string[]) => HttpResponse
type BuildPage = (
  exchange: Exchange,
  visit: { readonly locale: Locale },
  status: number,
  content: Html | Body,
  headers?: readonly string[],
) => HttpResponse

export interface Responses {
  readonly page: BuildPage
  readonly certificatePage: BuildPage
  readonly frameNotice: BuildPage
  readonly certificateFile: Build
  readonly logo: Build
  readonly pacFile: Build
  readonly health: Build
  /** @param document RFC 9457 */
  problem(
    exchange: Exchange,
    visit: { readonly locale: Locale },
    status: number,
    document: object,
    headers?: readonly string[],
  ): HttpResponse
  empty(exchange: Exchange, status: number): HttpResponse
  redirect(exchange: Exchange, status: 303 | 308, location: string, headers?: readonly string[]): HttpResponse
}

const EMPTY: Body = []

export function createResponses(constant: ResponseHeaders): Responses {
  const problem = pageBuilder(constant.problem)
  const [empty, redirect] = [constant.empty, constant.redirect].map(builder) as [Build, Build]
  return {
    page: pageBuilder(constant.page),
    certificatePage: pageBuilder(constant.certificatePage),
    frameNotice: pageBuilder(constant.frameNotice),
    certificateFile: builder(constant.certificateFile),
    logo: builder(constant.logo),
    pacFile: builder(constant.pacFile),
    health: builder(constant.health),
    problem: (exchange, visit, status, document, headers) =>
      problem(exchange, visit, status, [toByteString(JSON.stringify(document))], headers),
    empty: (exchange, status) => empty(exchange, status, EMPTY),
    redirect: (exchange, status, location, headers = []) =>
      redirect(exchange, status, EMPTY, ['location', location, ...headers]),
  }
}

function pageBuilder(constant: Headers): BuildPage {
  const build = builder(constant)
  return (exchange, { locale }, status, content, headers = []) =>
    build(exchange, status, content, ['content-language', locale, ...headers])
}

function builder(constant: Headers): Build {
  const always = Object.entries(constant).flat()
  const overHttp = Object.entries(constant)
    // Browsers log an error about it over plain http, where it has no effect.
    .filter(([name]) => name !== 'cross-origin-opener-policy')
    .flat()
  return (exchange, status, content, headers = []) => {
    const body = content instanceof Html ? [toByteString(content.toString())] : content
    const all = [...(exchange.isPlainHttp ? overHttp : always), ...headers]
    if (status !== 304) all.push('content-length', String(bodyLength(body)))
    return { status, headers: all, body }
  }
}
