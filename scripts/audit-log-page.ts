// docs/audit-log.md and the JSON schema beside it, from the shapes of the events.
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

const EVERYWHERE = ['level', 'time', 'event', 'msg']
const REQUEST = ['method', 'route', 'status', 'milliseconds', 'aborted']
const schemas = auditEvents.map((event) => z.toJSONSchema(event) as unknown as EventSchema)
const requestSchema = schemas.find(({ properties }) => properties.event?.const === 'request') as EventSchema

/** The whole of docs/audit-log.schema.json. */
export function auditLogSchema(): string {
  return `${JSON.stringify(z.toJSONSchema(auditEvent), null, 2)}\n`
}

/** The whole of docs/audit-log.md. */
export function auditLogPage(): string {
  return `<!-- Generated from src/portal/monitoring/audit-events.ts and scripts/audit-log-page.ts by \`npm run docs\`; change it there. -->

# The audit log

The portal writes its log to standard output, one JSON object a line. A line with an \`event\` is an event of the audit log:
what was shown, what was refused, what was acknowledged, and with what configuration. Lines without \`event\` are for people:
warnings at the start, a certificate that came or went, an unexpected error.

There is one line for each request, written once its answer is out or its browser gone. What is done for it, such as a record
in the ledger, is done by then. Requests that are turned away unread under [overload](reliability.md#limits) are told
together, in one line a second at most that is no event: \`"msg":"overloaded"\`, with how many. Nothing waits for whoever takes
the lines: 4 MB of them are kept until then, and those beyond are lost and counted (\`log lines were lost\`).

- [audit-log.schema.json](audit-log.schema.json) is the same as a JSON schema (2020-12). A test holds the lines of a real
  portal to it.
- Members are added in later versions, and events too. None changes its meaning.

## What is never in it

The payload \`p\`, override codes, cookies, tokens, the text of requests that are not understood, the visitor's address and
browser. The destination only with \`GATEWAY_CAPTIVE_LOG_DESTINATION=true\`. No text from outside leaves its line: it is encoded
as JSON, and every character that some reader or terminal takes for more than text is escaped.

## Who it was

The portal does not know. \`reference\` is the verdict's id (\`jti\`), and the engine's log says for whom that verdict was issued:
join the two by it. The visitor sees it on the page, and the ledger keeps it with an acceptance. So keep both logs equally long.

\`\`\`
journalctl --unit gateway-portal --output cat |
  jq -cR 'fromjson? | select(.event == "acknowledgement" or .event == "lockout") | [.time, .reference, .outcome]'
\`\`\`

In containers the first line is \`docker compose logs --no-log-prefix portal |\`. It prints a line for each:

\`\`\`
["2026-11-21T12:00:00.000Z","x9Zr2kTQv0m4pYw1LmNb8g","redirect"]
\`\`\`

## Events

Every event has these members:

${table(['level', 'time', 'msg'])}

Every event about a request has these, too:

${table(REQUEST)}
${schemas.map(eventText).join('')}
## Outcomes

What came of an acknowledgement.

| Outcome | Meaning |
| --- | --- |
| \`redirect\` | the engine accepted it, and its redirect went to the visitor |
| \`codeRejected\` | the override code was wrong |
| \`refused\` | the engine refused it (403) |
| \`lockedOut\` | too many wrong codes |
| \`expired\` | the engine found the verdict too old (410) |
| \`rejected\` | another 4xx: something is set up wrongly, such as \`ENGINE_API_TOKEN\` |
| \`broken\` | no answer that could be understood, or none at all; \`reason\` says more |
| \`late\` | no answer within \`ENGINE_TIMEOUT_SECONDS\` |
| \`attemptsExhausted\` | the verdict has 50 recorded attempts, and this was one more (410); the engine was not asked |
| \`recordUnavailable\` | the ledger could not record the acceptance; the engine was not asked |
| \`attemptsExhausted\` | the verdict has 50 attempts on record already (410); the engine was not asked |
| \`overloaded\` | no slot was free; \`reason\` names the limit: \`engine\` (all slots), \`database\` (those for policies), \`client address\` (half of all slots); the engine was not asked |
| \`superseded\` | a newer acknowledgement of the same verdict replaced it while it waited (503); the engine was not asked |
| \`abandoned\` | its browser disconnected while it waited for an earlier acknowledgement of the same verdict; the engine was not asked |
| \`stopping\` | the portal stops, and an earlier acknowledgement of the same verdict is still in flight (503); the engine was not asked |
| \`codeMalformed\` | a code was missing, superfluous, or not readable; the engine was not asked |
| \`elsewhere\` | it did not come from our own page; the engine was not asked |
| \`prefetch\` | the browser asked before its user did; the engine was not asked |

## Refusals

Why the parameters or the payload of a verdict URL were refused. From \`form\` to \`no ack_token\` the visitor sees one and the same
page.

| Refusal | Meaning |
| --- | --- |
| \`length\` | the URL is longer than 7,500 bytes |
| \`query\` | not exactly \`p\`, \`v\` and \`ts\`, well-formed |
| \`version\` | a version of the protocol that this portal does not speak |
| \`form\` | \`p\` is no compact JWE of the protocol's form |
| \`header\` | its header is not the protocol's |
| \`key\` | sealed with a key that this portal does not have: the secrets differ, or a rotation was not finished |
| \`tag\` | changed on the way, or forged |
| \`text\` | no JSON inside |
| \`claim …\` | that claim is missing or not as the protocol says |
| \`other ts\` | the \`ts\` beside it is another |
| \`other kind\` | a verdict of another page |
| \`no ack_token\` | nothing to acknowledge |
| \`expired\` | older than the replay window, or from the future |

Many of \`form\`, \`header\` or \`tag\` mean that somebody is trying; \`key\`, \`version\` and \`claim …\` that the engine and the portal do
not agree; \`expired\` beside none of these that visitors reload old pages, or that a clock is wrong.

## The configuration

\`start\` holds every part of the configuration with its defaults filled in. In place of secrets:

| Member | What it is |
| --- | --- |
| \`payload.keys\` | ids (\`kid\`) of the keys that open payloads: one of them is in the header of every \`p\` |
| \`session.secrets\` | how many keys of session cookies there are |
| \`engine.apiToken\` | whether there is one |
| \`database\` | where it is, without user, password and parameters |
| \`tracing.headers\` | names without values |
`
}

function eventText({ description, properties, required }: EventSchema): string {
  const own = Object.keys(properties).filter((member) => ![...EVERYWHERE, ...REQUEST].includes(member))
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
    const presence = required.includes(member) ? 'always' : 'at times'
    return `| \`${member}\` | ${typeText(schema)} | ${presence} | ${schema.description ?? ''} |`
  })
  return `| Member | Type | There | Meaning |\n| --- | --- | --- | --- |\n${rows.join('\n')}`
}

function typeText(schema: MemberSchema): string {
  if (schema.const !== undefined) return `\`${schema.const}\``
  if (schema.enum !== undefined && schema.enum.length < 5) return schema.enum.map((value) => `\`${value}\``).join(', ')
  return schema.type ?? (schema.anyOf?.[0]?.type || 'string')
}
