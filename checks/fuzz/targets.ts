// All fuzzing targets.
import { acceptLanguage } from './targets/accept-language.ts'
import { certificate } from './targets/certificate.ts'
import { claims } from './targets/claims.ts'
import { databaseUrl } from './targets/database-url.ts'
import { engineResponse } from './targets/engine-response.ts'
import { icap } from './targets/icap.ts'
import { markdown } from './targets/markdown.ts'
import { overrideCode } from './targets/override-code.ts'
import { payload } from './targets/payload.ts'
import { query } from './targets/query.ts'
import { request } from './targets/request.ts'
import { session } from './targets/session.ts'

export const targets = [
  payload,
  claims,
  query,
  request,
  engineResponse,
  markdown,
  acceptLanguage,
  databaseUrl,
  certificate,
  session,
  overrideCode,
  icap,
]
