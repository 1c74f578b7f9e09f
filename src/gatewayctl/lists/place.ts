// Where the rule of a list belongs in the policy: above rules that would decide about the list's hosts before it.
import * as z from 'zod'
import { parseHostPattern } from '../../network/host-pattern.ts'
import { Failure } from '../failure.ts'
import { tomlReader } from '../toml-reader.ts'

interface PlacedRule {
  readonly name: string
  readonly line: number
}

/** The first rule of a policy that decides about every host; undefined without one. @throws {Failure} for what is no policy */
type FindRule = (policy: string) => PlacedRule | undefined

/** What makes a rule one about some requests for a host, and not all. */
const CONDITIONS = ['clients', 'rooms', 'users', 'groups', 'when', 'switch', 'except']

const rules = z
  .array(
    z.looseObject({
      name: z.string(),
      action: z.string(),
      locked: z.boolean().optional(),
      match: z.array(z.string()).optional(),
    }),
  )
  .optional()

/** @param path of the policy, for messages @throws {Failure} where TOML cannot be read */
export async function placeFinder(path: string): Promise<FindRule> {
  const { readTomlFile } = await tomlReader()
  return (policy) => {
    const reading = readTomlFile({ path, readFile: () => Buffer.from(policy), options: [], secretKeys: [] })
    const all = reading.parse(rules, ['rules'])
    const problems = reading.problems()
    if (problems.length > 0) throw new Failure(problems.join('\n'))
    const index = all?.findIndex(decidesAboutEveryHost) ?? -1
    const [name, line] = [all?.[index]?.name, reading.lineOf(['rules', index])]
    return name === undefined || line === undefined ? undefined : { name, line }
  }
}

type Rule = NonNullable<z.output<typeof rules>>[number]

/** Locked rules come first wherever they are. What a rule blocks for some, it blocks above and below the list's. */
function decidesAboutEveryHost(rule: Rule): boolean {
  const { action, locked, match, lists } = rule
  if (locked || lists !== undefined) return false
  if (match !== undefined && !match.some(isEveryHost)) return false
  return action !== 'block' || CONDITIONS.every((key) => rule[key] === undefined)
}

function isEveryHost(text: string): boolean {
  const pattern = parseHostPattern(text)
  return pattern?.host === '' && pattern.path === undefined
}
