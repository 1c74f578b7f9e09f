// The bytes of every response, each as a character. ISTag changes with the policy (RFC 3507, section 4.7).
import { STATUS_CODES } from 'node:http'
import type { HttpRefusal } from './http-head.ts'
import type { IcapProblem } from './icap-head.ts'
import { refusalPage } from './refusal-page.ts'

export interface Responses {
  readonly revision: string
  /** To OPTIONS, by service. */
  readonly options: Readonly<Record<'reqmod' | 'hosts', string>>
  /** To HOSTS. @param ruled of each host, in order */
  hosts(ruled: readonly boolean[]): string
  /** 204: the proxy forwards the request unchanged. */
  readonly unmodified: string
  /** The head of a response that repeats the request; the HTTP head and the chunks of the body follow. */
  repeated(httpBytes: number, hasBody: boolean): string
  /** A redirect of the visitor's request to `location`. */
  redirect(method: string, location: string): string
  /** An error for the visitor. @param method undefined if it could not be read */
  refusal(refusal: Pick<HttpRefusal, 'status' | 'page'>, method?: string): string
  /** An error for the proxy, after which the connection ends. */
  error(problem: IcapProblem): string
}

/**
 * @param revision at most 30 characters of base64url
 * @param instance names this process in refusals without a page: by it `gatewayctl proxy doctor` tells engines apart
 */
export function createResponses(revision: string, instance: string): Responses {
  const named = `X-Engine-Instance: ${instance}\r\n`
  const tag = `ISTag: "${revision}"\r\n`
  const options = (method: string, fields = '') =>
    `ICAP/1.0 200 OK\r\nMethods: ${method}\r\nService: Gateway engine\r\n${tag}${fields}Options-TTL: 86400\r\nEncapsulated: null-body=0\r\n\r\n`
  const http = (status: number, field = '', body = '', isSent = body !== '') => {
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${field}Cache-Control: no-store\r\nContent-Length: ${body.length}\r\n\r\n`
    const chunks = isSent ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : ''
    return `ICAP/1.0 200 OK\r\n${tag}Encapsulated: res-hdr=0, ${isSent ? 'res' : 'null'}-body=${head.length}\r\n\r\n${head}${chunks}`
  }
  return {
    revision,
    options: {
      reqmod: options('REQMOD', 'Allow: 204\r\nPreview: 0\r\nTransfer-Preview: *\r\n'),
      hosts: options('HOSTS'),
    },
    hosts: (ruled) => {
      const lines = ruled.map((isRuled) => `X-Ruled: ${isRuled ? 'yes' : 'no'}\r\n`)
      return `ICAP/1.0 200 OK\r\n${tag}${lines.join('')}Encapsulated: null-body=0\r\n\r\n`
    },
    unmodified: `ICAP/1.0 204 No Modifications\r\n${tag}Encapsulated: null-body=0\r\n\r\n`,
    repeated: (httpBytes, hasBody) =>
      `ICAP/1.0 200 OK\r\n${tag}Encapsulated: req-hdr=0, ${hasBody ? 'req' : 'null'}-body=${httpBytes}\r\n\r\n`,
    // A browser repeats a POST after 307: the portal would respond to it with 405.
    redirect: (method, location) =>
      http(method === 'GET' || method === 'HEAD' ? 302 : 303, `Location: ${location}\r\n`),
    refusal: ({ status, page }, method) =>
      page === undefined ? http(status, named) : http(status, HTML, refusalPage(page), method !== 'HEAD'),
    error: ({ status, reason }) =>
      `ICAP/1.0 ${status} ${STATUS[status]}: ${reason}\r\n${tag}Connection: close\r\nEncapsulated: null-body=0\r\n\r\n`,
  }
}

const HTML = 'Content-Type: text/html; charset=utf-8\r\n'

/** RFC 3507, section 4.3.3. */
const STATUS: Readonly<Record<IcapProblem['status'], string>> = {
  400: 'Bad request',
  403: 'Forbidden',
  404: 'ICAP Service not found',
  405: 'Method not allowed for service',
  408: 'Request timeout',
  500: 'Server error',
  501: 'Method not implemented',
  505: 'ICAP version not supported',
}
