// The liveness probe. It needs neither engine nor database: block pages go on when those are down.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config/config.ts'
import type { Answers } from '../answers.ts'

export function healthRoute(answers: Answers, release: Config['release']) {
  const document = JSON.stringify({ status: 'ok', version: release.version, release_type: release.type })
  return (_request: FastifyRequest, reply: FastifyReply): FastifyReply => answers.health(reply, document)
}
