// The liveness probe. It checks neither engine nor database, because block pages need neither.

import type { Exchange } from '../http/exchange.ts'
import { type Handled, plain } from '../http/handler.ts'
import type { Responses } from '../http/responses.ts'
import { toByteString } from '../page/byte-string.ts'
import type { Config } from '../settings/config.ts'

interface HealthRouteDependencies {
  readonly responses: Responses
  readonly config: Pick<Config, 'release'>
}

export function healthRoute({ responses, config }: HealthRouteDependencies) {
  const { version, type } = config.release
  const document = [toByteString(JSON.stringify({ status: 'ok', version, release_type: type }))]
  return (exchange: Exchange): Handled => plain(responses.health(exchange, 200, document))
}
