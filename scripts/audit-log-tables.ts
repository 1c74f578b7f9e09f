// The lists of an audit log's documentation, from the schemas of its events.
import { z } from 'zod'
import { listItem } from './list-item.ts'

interface MemberSchema {
  readonly description?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
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
  /** An item for each member: again, with its event, if an event gives it another meaning. Types are in the JSON schema. */
  readonly members: string
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
    members: memberItems(schemas).join('\n'),
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

function memberItems(schemas: readonly EventSchema[]): readonly string[] {
  const named = new Set<string>()
  const meanings = new Set<string>()
  return schemas.flatMap((event) =>
    membersOf(event).flatMap((member) => {
      const { [member]: schema = {} } = event.properties
      const meaning = `${schema.description}${LINE.includes(member) ? '' : valuesOf(schema)}`
      if (schema.description === undefined || meanings.has(member + meaning)) return []
      const name = named.has(member) ? `\`${member}\` of \`${nameOf(event)}\`` : `\`${member}\``
      named.add(member)
      meanings.add(member + meaning)
      return [listItem(`${name}: ${meaning}`)]
    }),
  )
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

/** @returns its few values, in parentheses */
function valuesOf({ enum: values = [] }: MemberSchema): string {
  if (values.length === 0 || values.length > 4) return ''
  return ` (${values.map((value) => `\`${value}\``).join(', ')})`
}
