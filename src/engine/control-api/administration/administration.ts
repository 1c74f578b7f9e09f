// The administration calls by name.
import type { AdministrationCall } from '../../../contract/administration.ts'
import type { Handle } from '../responses.ts'
import type { Administration } from './call.ts'
import { expectationCalls } from './expectations.ts'
import { lessonCodeCalls } from './lesson-codes.ts'
import { lockoutCalls } from './lockouts.ts'
import { permissionCalls } from './permissions.ts'
import { privacyCalls } from './privacy.ts'
import { reportCall } from './report.ts'
import { rulesCall } from './rules.ts'
import { sessionCalls } from './sessions.ts'
import { statusCalls } from './status.ts'
import { stoppedCall } from './stopped.ts'
import { switchCalls } from './switches.ts'
import { whyCall } from './why.ts'

export function administrationCalls(administration: Administration): Readonly<Record<AdministrationCall, Handle>> {
  return {
    ...statusCalls(administration),
    ...sessionCalls(administration),
    ...lockoutCalls(administration),
    ...permissionCalls(administration),
    ...switchCalls(administration),
    ...lessonCodeCalls(administration),
    ...whyCall(administration),
    ...stoppedCall(administration),
    ...expectationCalls(administration),
    ...rulesCall(administration),
    ...privacyCalls(administration),
    ...reportCall(administration),
  }
}
