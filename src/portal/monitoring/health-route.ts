// The liveness probe. It checks neither engine nor database, because block pages need neither.

import { type Handled, plain } from '../http/handler.ts'
import type { Responses } from '../outcome/responses.ts'
import { toByteString } from '../page/byte-string.ts'
import type { Config } from '../settings/config.ts'

export function healthRoute(responses: Responses, release: Config['release']) {
  const document = [
    toByteString(JSON.stringify({ status: 'ok', version: release.version, release_type: release.type })),
  ]
  return (): Handled => plain(responses.health(document))
}
