// One log line for each request: what was asked, how it ended, and which verdict it was about.
import type { Logger } from 'pino'
import type { Exchange } from './exchange.ts'

export interface RequestLogOptions {
  readonly log: Logger
  readonly paths: ReadonlySet<string>
  readonly withDestination: boolean
}

/** Writes the line, once the answer is out or its browser gone. */
export function createRequestLog({ log, paths, withDestination }: RequestLogOptions) {
  return ({ request, response, path, startedAt, verdict, refusal, engineAnswer }: Exchange): void => {
    log.info(
      {
        method: request.method,
        // A path that is none of ours is a stranger's text.
        route: paths.has(path) ? path : 'other',
        status: response.statusCode,
        ...(!response.writableFinished && { aborted: true }),
        milliseconds: Math.round((performance.now() - startedAt) * 10) / 10,
        ...(verdict !== undefined && { reference: verdict.reference, kind: verdict.kind, rule: verdict.ruleName }),
        ...(verdict !== undefined && withDestination && { destination: verdict.destination.href }),
        ...(refusal !== undefined && { refusal }),
        ...(engineAnswer !== undefined && { engine: engineAnswer.kind, engineStatus: engineAnswer.status }),
        ...(engineAnswer?.kind === 'broken' && { reason: engineAnswer.reason }),
      },
      'request',
    )
  }
}
