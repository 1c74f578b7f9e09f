// Generates docs/audit-log.md and its JSON schema from the schemas of the events.
import { z } from 'zod'
import { auditEvent, auditEvents } from '../src/portal/monitoring/audit-events.ts'

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

const COMMON = ['level', 'time', 'event', 'msg']
const REQUEST = ['method', 'route', 'status', 'milliseconds', 'aborted']
const schemas = auditEvents.map((event) => z.toJSONSchema(event) as unknown as EventSchema)
const requestSchema = schemas.find(({ properties }) => properties.event?.const === 'request') as EventSchema

/** The content of docs/audit-log.schema.json. */
export function auditLogSchema(): string {
  return `${JSON.stringify(z.toJSONSchema(auditEvent), null, 2)}\n`
}

/** The content of docs/audit-log.md. */
export function auditLogPage(): string {
  return `<!-- Generated from src/portal/monitoring/audit-events.ts and scripts/audit-log-page.ts by \`npm run docs\`; edit these files instead. -->

# The audit log

The portal logs to standard output, one JSON object per line. A line with an \`event\` is an event of the audit log: what was
shown, refused or acknowledged, and with which configuration. Lines without an \`event\` are for people: warnings at the start,
a certificate that was published or removed, an unexpected error.

Each request has one line, written after its response was sent or its browser disconnected. By then everything that belongs to
the request, such as its record in the ledger, is complete. Requests shed under [overload](reliability.md#limits)
have no line of their own: at most once per second, \`"msg":"overloaded"\` counts them; that line is not an event. Requests
never wait for the log's reader: up to 4 MB of lines are buffered, and further lines are dropped and counted
(\`log lines lost\`).

- [audit-log.schema.json](audit-log.schema.json) describes the same events as a JSON schema (2020-12). A test checks a real
  portal's lines against it.
- Later versions may add members and events. The meaning of existing ones does not change.

## What is never in it

The payload \`p\`, override codes, cookies, tokens, the text of malformed requests, the visitor's address and browser. The
destination is logged only with \`GATEWAY_CAPTIVE_LOG_DESTINATION=true\`. Untrusted text cannot break out of its line: it is
encoded as JSON, and characters that a reader or terminal could interpret as more than text are escaped.

## Who it was

The portal does not know the visitor's identity. \`reference\` is the verdict's id (\`jti\`), and the engine logs for whom it
issued that verdict: join the two logs by this id, and keep them equally long. The visitor sees the id on the page, and the
ledger stores it with an acceptance.

\`\`\`
journalctl --unit gateway-portal --output cat |
  jq -cR 'fromjson? | select(.event == "acknowledgement" or .event == "lockout") | [.time, .reference, .outcome]'
\`\`\`

In containers the first line is \`docker compose logs --no-log-prefix portal |\`. The output has one line per event:

\`\`\`
["2026-11-21T12:00:00.000Z","x9Zr2kTQv0m4pYw1LmNb8g","redirect"]
\`\`\`

## Events

Every event has these members:

${table(['level', 'time', 'msg'])}

Every event about a request also has these:

${table(REQUEST)}
${schemas.map(eventText).join('')}
## Outcomes

The outcome of an acknowledgement.

| Outcome | Meaning |
| --- | --- |
| \`redirect\` | the engine accepted it, and its redirect was relayed |
| \`codeRejected\` | the override code was wrong |
| \`refused\` | the engine refused it (403) |
| \`lockedOut\` | too many wrong codes |
| \`expired\` | the engine found the verdict too old (410) |
| \`rejected\` | another 4xx: a misconfiguration, such as a wrong \`ENGINE_API_TOKEN\` |
| \`broken\` | no response, or an invalid one; \`reason\` has details |
| \`late\` | no response within \`ENGINE_TIMEOUT_SECONDS\` |
| \`recordUnavailable\` | the ledger could not record the acceptance; not sent to the engine |
| \`attemptsExhausted\` | the verdict already has 50 recorded attempts (410); not sent to the engine |
| \`overloaded\` | no slot was free; \`reason\` names the limit: \`engine\` (all slots), \`database\` (those for policies), \`client address\` (half of all slots); not sent to the engine |
| \`superseded\` | a newer acknowledgement of the same verdict replaced it while it waited (503); not sent to the engine |
| \`abandoned\` | its browser disconnected while it waited for an earlier acknowledgement of the same verdict; not sent to the engine |
| \`stopping\` | the portal is stopping, and an earlier acknowledgement of the same verdict is still in flight (503); not sent to the engine |
| \`codeMalformed\` | a code was missing, unexpected or malformed; not sent to the engine |
| \`elsewhere\` | it did not come from one of the portal's pages; not sent to the engine |
| \`prefetch\` | the browser prefetched it; not sent to the engine |

## Refusals

Why the parameters or the payload of a verdict URL were refused. From \`form\` to \`no ack_token\` the visitor always
sees the same page.

| Refusal | Meaning |
| --- | --- |
| \`length\` | the URL is longer than 7,500 bytes |
| \`query\` | not exactly \`p\`, \`v\` and \`ts\`, or one of them malformed |
| \`version\` | a protocol version that this portal does not support |
| \`form\` | \`p\` is not a compact JWE as the protocol defines it |
| \`header\` | its header is not the one that the protocol requires |
| \`key\` | sealed with an unknown key: the secrets differ, or a rotation is incomplete |
| \`tag\` | modified in transit, or forged |
| \`text\` | the content is not JSON |
| \`claim …\` | that claim is missing or invalid |
| \`other ts\` | the URL's \`ts\` differs from the payload's |
| \`other kind\` | the verdict belongs to another page |
| \`no ack_token\` | the verdict cannot be acknowledged |
| \`expired\` | older than the replay window, or from the future |

Many refusals of \`form\`, \`header\` or \`tag\` indicate an attack; \`key\`, \`version\` and \`claim …\` indicate that engine and portal
are configured differently. \`expired\` alone indicates that visitors reload old pages, or that a clock is wrong.

## The configuration

\`start\` contains the whole configuration, including defaults. Secrets are replaced:

| Member | Content |
| --- | --- |
| \`payload.keys\` | ids (\`kid\`) of the keys that open payloads: one of them is in the header of every \`p\` |
| \`session.secrets\` | number of keys for session cookies |
| \`engine.apiToken\` | whether a token is set |
| \`database\` | its location, without user, password and parameters |
| \`tracing.headers\` | names without values |
`
}

function eventText({ description, properties, required }: EventSchema): string {
  const own = Object.keys(properties).filter((member) => ![...COMMON, ...REQUEST].includes(member))
  const about = 'method' in properties ? 'About a request. ' : ''
  const members = own.length === 0 ? '' : `\n${table(own, { properties, required })}\n`
  return `
### \`${properties.event?.const}\`

${about}${description}
${members}`
}

function table(members: readonly string[], { properties, required } = requestSchema): string {
  const rows = members.map((member) => {
    const schema = properties[member] ?? {}
    const presence = required.includes(member) ? 'always' : 'sometimes'
    return `| \`${member}\` | ${typeText(schema)} | ${presence} | ${schema.description ?? ''} |`
  })
  return `| Member | Type | Present | Meaning |\n| --- | --- | --- | --- |\n${rows.join('\n')}`
}

function typeText(schema: MemberSchema): string {
  if (schema.const !== undefined) return `\`${schema.const}\``
  if (schema.enum !== undefined && schema.enum.length < 5) return schema.enum.map((value) => `\`${value}\``).join(', ')
  return schema.type ?? (schema.anyOf?.[0]?.type || 'string')
}
