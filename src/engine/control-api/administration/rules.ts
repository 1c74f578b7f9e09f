// Lists the rules as the engine has them, in the order in which it tries them, and how often each has decided today.
import * as z from 'zod'
import type { ListedRule } from '../../../contract/administration.ts'
import { type Conditions, conditionTexts } from '../../policy/conditions.ts'
import { DEFAULT_RULE_NAME, isLocked, type Rule } from '../../policy/policy.ts'
import { type Administration, administrationCall, isoTime } from './call.ts'

export function rulesCall({ policies, monitoring }: Administration) {
  return administrationCall('rules', z.strictObject({}), async () => {
    const { revision, rules, default: otherwise } = policies.current
    const { ruleHits } = monitoring
    return {
      revision,
      since: isoTime(ruleHits.since),
      timezone: ruleHits.timezone,
      rules: [
        ...rules.map((rule) => ({ ...describe(rule), hits: ruleHits.hitsOf(rule.name) })),
        // What it allows is not counted: most of that passes without a decision.
        { ...DEFAULT, action: otherwise, hits: otherwise === 'block' ? ruleHits.hitsOf(DEFAULT_RULE_NAME) : null },
      ],
    }
  })
}

const DEFAULT = {
  name: DEFAULT_RULE_NAME,
  line: null,
  locked: false,
  description: '',
  category: null,
  conditions: {},
  except: null,
}

function describe(rule: Rule): Omit<ListedRule, 'hits'> {
  const { name, action, line = null, description, category = null, except } = rule
  return {
    ...{ name, action, line, description, category },
    locked: isLocked(rule),
    conditions: textsOf(rule),
    except: except === undefined ? null : textsOf(except),
  }
}

function textsOf(conditions: Conditions): ListedRule['conditions'] {
  return Object.fromEntries(conditionTexts(conditions))
}
