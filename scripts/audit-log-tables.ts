// The tables of an audit log's documentation, from the schemas of its events.
import { z } from 'zod'

interface MemberSchema {
  readonly description?: string
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly MemberSchema[]
}

interface EventSchema extends MemberSchema {
  readonly properties: Readonly<Record<string, MemberSchema>>
  readonly required: readonly string[]
}

const LINE = ['level', 'time', 'event', 'msg']

export interface AuditTables {
  /** The members of every event. */
  readonly line: string
  /** A row for each event. */
  readonly events: string
  /** A row for each member: again, with its event, if an event gives it another type or meaning. */
  readonly members: string
  /** These members as the event has them. */
  list(members: readonly string[], event: string): string
  /** The events that do not have this member. */
  without(member: string): string
}

export function jsonSchema(shape: z.ZodType): string {
  return `${JSON.stringify(z.toJSONSchema(shape), null, 2)}\n`
}

/** @param described members that the text around the tables names for all events that have them */
export function createTables(events: readonly z.ZodType[], described: readonly string[]): AuditTables {
  const schemas = events.map((event) => z.toJSONSchema(event) as unknown as EventSchema)
  const [first] = schemas
  if (first === undefined) throw new Error('no events')
  return {
    line: list(LINE, first),
    events: schemas.map((event) => eventRow(event, [...LINE, ...described])).join('\n'),
    members: memberRows(schemas).join('\n'),
    list: (members, name) => list(members, schemas.find((event) => nameOf(event) === name) ?? first),
    without(member) {
      const others = schemas.filter(({ properties }) => !(member in properties))
      return others.map((event) => `\`${nameOf(event)}\``).join(' and ')
    },
  }
}

function eventRow(event: EventSchema, described: readonly string[]): string {
  const others = membersOf(event).filter((member) => !described.includes(member))
  return `| \`${nameOf(event)}\` | ${event.description} | ${list(others, event)} |`
}

function memberRows(schemas: readonly EventSchema[]): readonly string[] {
  const named = new Set<string>()
  const rows = new Set<string>()
  return schemas.flatMap((event) =>
    membersOf(event).flatMap((member) => {
      const { [member]: schema = {} } = event.properties
      const type = LINE.includes(member) ? schema.type : typeText(schema)
      const meaning = `| ${type} | ${schema.description} |`
      if (schema.description === undefined || rows.has(member + meaning)) return []
      const name = named.has(member) ? `\`${member}\` of \`${nameOf(event)}\`` : `\`${member}\``
      named.add(member)
      rows.add(member + meaning)
      return [`| ${name} ${meaning}`]
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

function typeText(schema: MemberSchema): string {
  if (schema.const !== undefined) return `\`${schema.const}\``
  if (schema.enum !== undefined && schema.enum.length < 5) return schema.enum.map((value) => `\`${value}\``).join(', ')
  return schema.type ?? (schema.anyOf?.[0]?.type || 'string')
}
