// The gateway engine's control API, which acknowledgements are forwarded to (protocol v1, section 2).
import * as z from 'zod'
import { ACKNOWLEDGEMENT_PATH } from '../../contract/acknowledgement.ts'
import { section } from '../section.ts'
import { isLoopback, origin, parsed, path, visibleAscii, wholeNumber } from '../shapes.ts'

export interface EngineSettings {
  readonly engine: {
    /** An origin; undefined when acknowledgements are turned off. */
    readonly url: URL | undefined
    readonly ackPath: string
    readonly timeoutSeconds: number
    readonly caFile: string | undefined
    readonly apiToken: string | undefined
  }
}

export const engine = section(
  'Engine',
  {
    ENGINE_INTERNAL_URL: {
      purpose: "URL of the engine's control API.",
      shape: z.literal('').or(origin).describe(`${origin.description}`),
      default: 'https://engine:11225',
      empty: 'acknowledgements are turned off',
    },
    ENGINE_ACK_PATH: {
      purpose: "Path of the engine's acknowledgement endpoint.",
      shape: parsed('a URL path that begins with one slash, without a query', (text) =>
        /^\/(?!\/)([A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*$/.test(text) ? text : undefined,
      ),
      default: ACKNOWLEDGEMENT_PATH,
    },
    ENGINE_TIMEOUT_SECONDS: {
      purpose: 'Timeout of an acknowledgement, from connecting to the last byte, in seconds.',
      shape: wholeNumber(1, 120),
      default: '5',
    },
    ENGINE_CA_FILE: {
      purpose: "CA certificates in PEM that verify the engine's certificate.",
      shape: path,
      defaultNote: "the published interception CA if it exists, and the system's roots",
    },
    ENGINE_API_TOKEN: {
      purpose: 'Token sent to the engine, as `Authorization: Bearer`.',
      shape: visibleAscii(1, 4096),
      secret: true,
    },
  },
  (values, reading): EngineSettings => {
    const url = values.ENGINE_INTERNAL_URL || undefined
    const caFile = values.ENGINE_CA_FILE
    if (caFile !== undefined && reading.file(caFile).fault !== undefined) {
      reading.problem('ENGINE_CA_FILE', 'must be a file that can be read')
    }
    if (url === undefined) reading.warn('ENGINE_INTERNAL_URL is empty: acknowledgements are turned off')
    else if (url.protocol === 'http:' && !isLoopback(url)) {
      reading.warn(`ENGINE_INTERNAL_URL is plain http to ${url.host}: acknowledgements are sent unencrypted`)
    }
    return {
      engine: {
        url,
        ackPath: values.ENGINE_ACK_PATH,
        timeoutSeconds: values.ENGINE_TIMEOUT_SECONDS,
        caFile,
        apiToken: values.ENGINE_API_TOKEN,
      },
    }
  },
)
