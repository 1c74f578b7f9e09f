// The input of a page function for a verdict with these claims.
import { parseClaims, type VerdictClaims } from '../../../src/contract/verdict.ts'
import type { Visit } from '../../../src/portal/page/frame.ts'
import { placeholders } from '../../../src/portal/page/template.ts'
import { VERDICT_TEXTS, type VerdictView, variantOf } from '../../../src/portal/verdict/view.ts'
import { claims } from '../../support/payloads.ts'
import { NOW } from '../../support/portal.ts'

export function verdictView(visit: Visit, changes: Partial<VerdictClaims>): VerdictView {
  return { variant: variantOf(visit, parseClaims(claims(NOW, changes))), text: placeholders(VERDICT_TEXTS) }
}
