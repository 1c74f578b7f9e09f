// All fuzzing targets.
import { certificate } from './targets/certificate.ts'
import { claims } from './targets/claims.ts'
import { engineResponse } from './targets/engine-response.ts'
import { icap } from './targets/icap.ts'
import { markdown } from './targets/markdown.ts'
import { query } from './targets/query.ts'
import { request } from './targets/request.ts'
import { session } from './targets/session.ts'

export const targets = [claims, query, request, engineResponse, markdown, certificate, session, icap]
