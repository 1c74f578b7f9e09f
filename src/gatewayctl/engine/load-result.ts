// The engine's report about its policy and the last load.
import { z } from 'zod'

export const policyShape = z.object({
  revision: z.string(),
  rules: z.number(),
  default: z.string(),
  groups: z.number(),
  lists: z.array(z.object({ name: z.string(), entries: z.number() })),
})

export const loadShape = z.object({
  result: z.enum(['loaded', 'kept']),
  problems: z.array(z.string()),
  warnings: z.array(z.string()),
})

/** `6 rules, 2 lists with 1,000,000 names, 1 group, default allow` */
export function describePolicy({ rules, lists, groups, default: otherwise }: z.output<typeof policyShape>): string {
  const names = lists.reduce((sum, { entries }) => sum + entries, 0)
  return [
    counted(rules, 'rule'),
    lists.length === 0 ? 'no list' : `${counted(lists.length, 'list')} with ${counted(names, 'name')}`,
    ...(groups === 0 ? [] : [counted(groups, 'group')]),
    `default ${otherwise}`,
  ].join(', ')
}

/** `1 rule`, `1,200 rules` */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
