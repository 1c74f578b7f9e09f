// One log line for each request: what was asked, how it ended, and which verdict it was about.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Verdict } from '../contract/verdict.ts'
import type { EngineAnswer } from './engine-client/answer.ts'
import { targetPath } from './targets.ts'

/** What the routes note down while they answer; never `p`, a code or a cookie. */
interface RequestRecord {
  verdict?: Verdict
  /** Why a payload was refused: for the log only. */
  refusal?: string
  engine?: EngineAnswer
  /** The handler of an acknowledgement, which goes on when its browser has gone. */
  running?: Promise<unknown>
}

declare module 'fastify' {
  interface FastifyRequest {
    record: RequestRecord
  }
}

export interface RequestLogOptions {
  readonly paths: ReadonlySet<string>
  readonly withDestination: boolean
}

/** Writes the line, once the answer is out or its browser gone. */
export function createRequestLog({ paths, withDestination }: RequestLogOptions) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const { verdict, refusal, engine } = request.record
    const path = targetPath(request.raw.url as string)
    request.log.info(
      {
        method: request.method,
        // A path that is none of ours is a stranger's text.
        route: paths.has(path) ? path : 'other',
        status: reply.raw.statusCode,
        ...(!reply.raw.writableFinished && { aborted: true }),
        milliseconds: Math.round(reply.elapsedTime * 10) / 10,
        ...(verdict !== undefined && { reference: verdict.reference, kind: verdict.kind, rule: verdict.ruleName }),
        ...(verdict !== undefined && withDestination && { destination: verdict.destination.href }),
        ...(refusal !== undefined && { refusal }),
        ...(engine !== undefined && { engine: engine.kind, engineStatus: engine.status }),
        ...(engine?.kind === 'broken' && { reason: engine.reason }),
      },
      'request',
    )
  }
}
