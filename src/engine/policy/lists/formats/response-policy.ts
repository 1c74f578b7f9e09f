// Response policy zones (RPZ), as BIND and Unbound read them: `name CNAME .` stops a name, `name CNAME rpz-passthru.` is an
// exception. Other records answer with something else; triggers other than names are about something else.
import { isIP } from 'node:net'
import type { LineResult, ListEntries } from './entries.ts'
import { ASTERISK, DOT, readName } from './name.ts'

export interface ZoneReader {
  /** @returns undefined for a line of another format */
  read(bytes: Buffer, start: number, end: number): LineResult | undefined
  /** Whether the SOA record continues on the next line. */
  readonly isInHead: boolean
}

const TTL = String.raw`(?:\d+[smhdw]?\s+)?`
const APEX = new RegExp(`^(\\S+\\s+)?${TTL}(?:in\\s+)?${TTL}(soa|ns)\\s(.*)$`, 'i')
const RECORD = new RegExp(`^(\\S+)\\s+${TTL}(?:in\\s+)?${TTL}(cname|a|aaaa|txt)\\s+(\\S+)\\s*(.*)$`, 'i')
const STOPPING = ['.', '*.', 'rpz-drop.']
const OTHER_TRIGGER = /\.rpz-(?:ip|client-ip|nsip|nsdname)$/

export function createZoneReader(entries: ListEntries): ZoneReader {
  /** With its dots: `.rpz.example.`; empty where it is not known. */
  let origin = ''
  let isInSoa = false

  function setOrigin(name: string): void {
    if (name.endsWith('.') && name !== '.') origin = `.${name.toLowerCase()}`
  }

  function readCname(bytes: Buffer, start: number, length: number, target: string): LineResult {
    const name = bytes.toString('latin1', start, start + length).toLowerCase()
    const isAbsolute = name.endsWith('.')
    if (isAbsolute && (origin === '' || !name.endsWith(origin))) return 'skipped'
    const end = start + length - (isAbsolute ? origin.length : 0)
    if (OTHER_TRIGGER.test(name.slice(0, end - start))) return 'skipped'
    const isPassing = target === 'rpz-passthru.'
    if (!isPassing && !STOPPING.includes(target)) return 'skipped'
    const isBelow = bytes[start] === ASTERISK && bytes[start + 1] === DOT
    if (end - start === 1 && bytes[start] === ASTERISK) return isPassing ? 'skipped' : 'everything'
    const add = isPassing ? (isBelow ? entries.exceptBelow : entries.exceptItself) : entries.addName
    return readName(bytes, start, end, 'malformed', add) ? 'read' : 'malformed'
  }

  return {
    get isInHead() {
      return isInSoa
    },
    read(bytes, start, end) {
      const text = bytes.toString('latin1', start, end)
      if (isInSoa) {
        isInSoa = !text.replace(/;.*/, '').includes(')')
        return 'read'
      }
      const [, directive, value = ''] = /^\$(ORIGIN|TTL)\s+(\S+)/i.exec(text) ?? []
      if (directive !== undefined) {
        if (/origin/i.test(directive)) setOrigin(value)
        return 'read'
      }
      const [, , type, data = ''] = APEX.exec(text) ?? []
      if (type !== undefined) {
        const isSoa = /soa/i.test(type)
        const [owner = ''] = text.split(/\s/, 1)
        if (isSoa) setOrigin(owner)
        const record = data.replace(/;.*/, '')
        isInSoa = isSoa && record.includes('(') && !record.includes(')')
        return 'read'
      }
      const [, name = '', kind, target = '', rest = ''] = RECORD.exec(text) ?? []
      if (kind === undefined) return undefined
      if (!/^cname$/i.test(kind)) return isIP(target) !== 0 || target.startsWith('"') ? 'skipped' : undefined
      if (rest !== '' && !rest.startsWith(';')) return 'malformed'
      return readCname(bytes, start, name.length, target.replace(/;.*/, '').toLowerCase())
    },
  }
}
