// The lists of an audit log's documentation, from the schemas of its events.
import { z } from 'zod'
import { listItem } from './list-item.ts'

interface MemberSchema {
  readonly description?: string
  readonly const?: unknown
}

interface EventSchema extends MemberSchema {
  readonly properties: Readonly<Record<string, MemberSchema>>
  readonly required: readonly string[]
}

const LINE = ['level', 'time', 'event', 'msg']

export interface AuditTables {
  /** The members of every event. */
  readonly line: string
  /** An item for each event. */
  readonly events: string
  /** These members as the event has them. */
  list(members: readonly string[], event: string): string
  /** The events that do not have this member. */
  without(member: string): string
}

export function jsonSchema(shape: z.ZodType): string {
  return `${JSON.stringify(z.toJSONSchema(shape), null, 2)}\n`
}

/** @param described members that the text around the lists names for all events that have them */
export function createTables(events: readonly z.ZodType[], described: readonly string[]): AuditTables {
  const schemas = events.map((event) => z.toJSONSchema(event) as unknown as EventSchema)
  const [first] = schemas
  if (first === undefined) throw new Error('no events')
  return {
    line: list(LINE, first),
    events: schemas.map((event) => eventItem(event, [...LINE, ...described])).join('\n'),
    list: (members, name) => list(members, schemas.find((event) => nameOf(event) === name) ?? first),
    without(member) {
      const others = schemas.filter(({ properties }) => !(member in properties))
      return others.map((event) => `\`${nameOf(event)}\``).join(' and ')
    },
  }
}

function eventItem(event: EventSchema, described: readonly string[]): string {
  const others = membersOf(event).filter((member) => !described.includes(member))
  return listItem(`\`${nameOf(event)}\` (${list(others, event)}): ${event.description}`)
}

function list(members: readonly string[], { required }: EventSchema): string {
  return members.map((member) => `\`${member}\`${required.includes(member) ? '' : '?'}`).join(', ')
}

function membersOf({ properties }: EventSchema): readonly string[] {
  return Object.keys(properties)
}

function nameOf({ properties }: EventSchema): string {
  return `${properties.event?.const}`
}
