// The engine's policy in words.
import type { EngineStatus } from '../../contract/administration.ts'

/** `6 rules, 2 lists with 1,000,000 names, 1 group, default allow` */
export function describePolicy({ rules, lists, groups, default: otherwise }: EngineStatus['policy']): string {
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
