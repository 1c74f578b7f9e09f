// What is due, as a mail and as the JSON of a webhook.
import { harmless } from './cause.ts'
import type { Due, Remembered } from './rounds.ts'

export interface Message {
  readonly subject: string
  readonly text: string
  readonly json: object
}

/** In one message; further ones follow in the next hour. */
const MAXIMUM_SHOWN = 40
const MAXIMUM_SUBJECT = 150
const END = 'An alarm is repeated once an hour while its cause lasts. On the gateway: gatewayctl alarms list'

/** @param gateway its name, for the subject */
export function messageAbout({ alarms, ended }: Due, gateway: string, now: number): Message {
  const ids = (list: readonly Remembered[]) => list.map(({ id }) => id).join(', ')
  const parts = [
    ...(alarms.length === 0 ? [] : [`${alarms.length === 1 ? 'ALARM' : `${alarms.length} ALARMS`}: ${ids(alarms)}`]),
    ...(ended.length === 0 ? [] : [`ended: ${ids(ended)}`]),
  ]
  const blocks = [
    ...alarms.map(({ summary, since, remedy }) => [
      `ALARM  ${harmless(summary)}`,
      `       since ${minute(since)}`,
      `       to do: ${harmless(remedy)}`,
    ]),
    ...ended.map(({ summary, since, until }) => [
      `ENDED  ${harmless(summary)}`,
      `       from ${minute(since)} to ${minute(until)}`,
    ]),
  ]
  const left = blocks.length - MAXIMUM_SHOWN
  const shown = [...blocks.slice(0, MAXIMUM_SHOWN), ...(left > 0 ? [[`And ${left} more.`]] : [])]
  return {
    subject: harmless(`[${gateway}] ${parts.join('; ')}`, MAXIMUM_SUBJECT),
    text: `${[[`Gateway ${harmless(gateway)}, ${minute(now)}`], ...shown, [END]].map((lines) => lines.join('\n')).join('\n\n')}\n`,
    json: {
      gateway: harmless(gateway),
      time: iso(now),
      alarms: alarms.slice(0, MAXIMUM_SHOWN).map((one) => ({ ...described(one), to_do: harmless(one.remedy) })),
      ended: ended.slice(0, MAXIMUM_SHOWN).map((one) => ({ ...described(one), until: iso(one.until) })),
    },
  }
}

export function testMessage(gateway: string, now: number): Message {
  const text = 'This is a test: alarms of the gateway arrive here.'
  return {
    subject: harmless(`[${gateway}] Test of the alarms`, MAXIMUM_SUBJECT),
    text: `Gateway ${harmless(gateway)}, ${minute(now)}\n\n${text}\n`,
    json: { gateway: harmless(gateway), time: iso(now), test: true, alarms: [], ended: [] },
  }
}

function described({ id, summary, since }: Remembered) {
  return { cause: harmless(id), summary: harmless(summary), since: iso(since) }
}

/** `2026-11-27 02:10 UTC` */
export function minute(time: number): string {
  return `${iso(time).slice(0, 16).replace('T', ' ')} UTC`
}

function iso(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+Z$/, 'Z')
}
