// Creates, lists and ends lesson codes. The code itself is in one response only.
import * as z from 'zod'
import { MAXIMUM_PERMISSION_MINUTES, type OpenLessonCode } from '../../../contract/administration.ts'
import { integer, text } from '../../../settings/shapes.ts'
import { equalInConstantTime } from '../../constant-time.ts'
import type { Override, Rule, WarnOrAupRule } from '../../policy/policy.ts'
import { codeFormatOf } from '../../verdict/ack-token.ts'
import { type LessonCode, randomCode } from '../../verdict/lesson-code.ts'
import { problem } from '../responses.ts'
import { type Administration, administrationCall, isoTime, limit, ruleName } from './call.ts'

const FULL = 'The rule has 100 lesson codes already. End some of them.'
/** Of PINs with four digits, one in a hundred may be the rule's already. */
const MAXIMUM_TRIES = 100

export function lessonCodeCalls({ policies, state, monitoring }: Administration) {
  const creating = z.strictObject({
    rule: ruleName,
    minutes: integer(1, MAXIMUM_PERMISSION_MINUTES),
    by: text(1, 128).optional(),
  })

  /** @returns undefined if the rule has too many */
  async function addRandomCode(rule: WarnOrAupRule, override: Override, milliseconds: number, by: string | undefined) {
    for (let tries = 0; tries < MAXIMUM_TRIES; tries++) {
      const code = randomCode(override)
      if (override.codes.some((one) => equalInConstantTime(one.code, code))) continue
      const added = await state.addLessonCode({ rule: rule.name, format: codeFormatOf(rule), code, by, milliseconds })
      if (added === 'full') return undefined
      if (added !== 'exists') return { code, added }
    }
    return undefined
  }

  return {
    ...administrationCall('codes/new', creating, async ({ rule: name, minutes, by }, from) => {
      const rule = policies.current.rules.find((one) => one.name === name)
      const override = overrideOf(rule)
      if (rule === undefined || override === undefined) return { refused: problem(400, refusalText(name, rule)) }
      const created = await addRandomCode(rule as WarnOrAupRule, override, minutes * 60_000, by)
      if (created === undefined) return { refused: problem(409, FULL) }
      monitoring.administered({ event: 'code.created', from, ...auditable(created.added) })
      return { ...describeLessonCode(created.added), code: created.code }
    }),
    ...administrationCall('codes/list', z.strictObject({ limit }), async ({ limit }) => {
      const found = await state.lessonCodesInForce()
      return { codes: found.slice(0, limit).map(describeLessonCode), more: found.length > limit }
    }),
    ...administrationCall('codes/end', z.strictObject({ id: text(1, 128) }), async ({ id }, from) => {
      const ended = await state.endLessonCode(id)
      if (ended === undefined) return { ended: 0 }
      monitoring.administered({ event: 'code.ended', from, ...auditable(ended) })
      return { ended: 1 }
    }),
  }
}

function overrideOf(rule: Rule | undefined): Override | undefined {
  return rule?.action === 'warn' || rule?.action === 'aup' ? rule.override : undefined
}

function refusalText(name: string, rule: Rule | undefined): string {
  const quoted = JSON.stringify(name)
  return rule === undefined
    ? `The policy has no rule ${quoted}.`
    : `The rule ${quoted} asks for no code: it has no override.`
}

function auditable({ id, rule, by, expiresAt }: LessonCode) {
  return { lessonCode: id, rule, by, until: isoTime(expiresAt) }
}

function describeLessonCode({ id, rule, by, createdAt, expiresAt }: LessonCode): OpenLessonCode {
  return { id, rule, by: by ?? null, created_at: isoTime(createdAt), expires_at: isoTime(expiresAt) }
}
