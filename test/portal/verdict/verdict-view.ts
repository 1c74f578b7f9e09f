// A verdict, and the input of its page function.
import assert from 'node:assert/strict'
import { parseClaims, type Verdict, type VerdictClaims } from '../../../src/contract/verdict.ts'
import type { Visit } from '../../../src/portal/page/frame.ts'
import { placeholders } from '../../../src/portal/page/template.ts'
import { VERDICT_TEXTS, type VerdictView, variantOf } from '../../../src/portal/verdict/view.ts'
import { claims } from '../../support/payloads.ts'
import { NOW } from '../../support/portal.ts'

/** A verdict with these claims. */
export function verdictWith(changes: Partial<VerdictClaims> = {}): Verdict {
  return parseClaims(claims(NOW, changes)).verdict ?? assert.fail()
}

export function verdictView(visit: Visit, changes: Partial<VerdictClaims>): VerdictView {
  return { variant: variantOf(visit, verdictWith(changes)), text: placeholders(VERDICT_TEXTS) }
}
