// For how long logrotate keeps a file, by the settings of this machine.
import { matchesGlob } from 'node:path'
import type { Machine } from './machine.ts'

interface Rotation {
  readonly rotate: number
  readonly period: number
  readonly maxage: number | undefined
}

/** The longest of the calendar, in days. */
const PERIODS: Readonly<Record<string, number>> = { hourly: 1 / 24, daily: 1, weekly: 7, monthly: 31, yearly: 366 }
/** Of logrotate. */
const DEFAULT: Rotation = { rotate: 0, period: 7, maxage: undefined }
const FOLDER = '/etc/logrotate.d'

/** Days; undefined if nothing rotates it. */
export function rotatedDays(machine: Pick<Machine, 'read' | 'list'>, path: string): number | undefined {
  const main = machine.read('/etc/logrotate.conf') ?? ''
  const general = parse(main.replace(/^[^\n{]*\{[^}]*\}/gm, ''), DEFAULT)
  const files = [main, ...machine.list(FOLDER).map((name) => machine.read(`${FOLDER}/${name}`) ?? '')]
  for (const text of files) {
    for (const [, names = '', content = ''] of withoutComments(text).matchAll(
      /^([^\n{]*(?:\n[^\n{]*)*?)\{([^}]*)\}/gm,
    )) {
      const patterns = names.split(/\s+/).map((name) => name.replace(/^"(.*)"$/, '$1'))
      if (!patterns.some((pattern) => pattern.startsWith('/') && matchesGlob(path, pattern))) continue
      const { rotate, period, maxage } = parse(content, general)
      // The file itself is one more.
      const days = Math.ceil((rotate + 1) * period)
      return maxage === undefined ? days : Math.min(days, Math.ceil(maxage + period))
    }
  }
  return undefined
}

function withoutComments(text: string): string {
  return text.replace(/^\s*#.*$/gm, '')
}

function parse(text: string, general: Rotation): Rotation {
  let rotation = general
  for (const line of withoutComments(text).split('\n')) {
    const [word = '', value = ''] = line.trim().split(/\s+/)
    const number = /^\d{1,6}$/.test(value) ? Number(value) : undefined
    const period = PERIODS[word]
    if (period !== undefined) rotation = { ...rotation, period }
    else if (word === 'rotate' && number !== undefined) rotation = { ...rotation, rotate: number }
    else if (word === 'maxage' && number !== undefined) rotation = { ...rotation, maxage: number }
  }
  return rotation
}
