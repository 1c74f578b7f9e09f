// The liveness probe. It checks neither engine nor database, because block pages need neither.

import type { Exchange } from '../http/exchange.ts'
import { type Handled, plain } from '../http/handler.ts'
import { toByteString } from '../page/byte-string.ts'
import type { Services } from '../services.ts'

export function healthRoute({ responses, config }: Services) {
  const { version, type } = config.release
  const document = [toByteString(JSON.stringify({ status: 'ok', version, release_type: type }))]
  return (exchange: Exchange): Handled => plain(responses.health(exchange, 200, document))
}
