// Generates docs/audit-log.md and its JSON schema from the schemas of the events.
import { auditEvent, auditEvents } from '../src/portal/monitoring/audit-events.ts'
import { createTables, jsonSchema } from './audit-log-tables.ts'

const REQUEST = ['method', 'route', 'status', 'milliseconds', 'aborted']
const tables = createTables(auditEvents, REQUEST)

/** The content of docs/audit-log.schema.json. */
export function auditLogSchema(): string {
  return jsonSchema(auditEvent)
}

/** The content of docs/audit-log.md. */
export function auditLogPage(): string {
  return `<!-- Generated from src/portal/monitoring/audit-events.ts and scripts/audit-log-page.ts by \`npm run docs\`; edit these files instead. -->

# The audit log

The portal logs to standard output, one JSON object per line. A line with an \`event\` is an event of the audit log: what was
shown, refused or acknowledged, and with which configuration. Lines without one are for people: warnings, errors, a certificate
that was published or removed.

Each request has one line, written after its response was sent or its browser disconnected, and after its record in the ledger.
Requests shed under [overload](reliability.md#limits) are only counted, at most once per second, in \`"msg":"overloaded"\`. When
4 MB wait for the log's reader, further lines are dropped and counted (\`log lines lost\`).

[audit-log.schema.json](audit-log.schema.json) describes the events as a JSON schema (2020-12). Later versions may add members
and events. The meaning of existing ones does not change.

**Never in it**: the payload \`p\`, override codes, cookies, tokens, the text of malformed requests, the visitor's address and
browser. Untrusted text cannot break out of its line, or act on a terminal: it is escaped.

## Who it was

The portal does not know the visitor's identity. \`reference\` is the verdict's id (\`jti\`), which the visitor sees on the page
and the ledger stores with an acceptance. The engine logs for whom it issued that verdict: join the two logs by this id, and
keep them equally long.

<!-- run by test/deploy/documented-portal.test.ts -->
\`\`\`sh
journalctl --unit gateway-portal --output cat |
  jq -cR 'fromjson? | select(.event == "acknowledgement" or .event == "lockout") | [.time, .reference, .outcome]'
\`\`\`

In containers the first line is \`docker compose logs --no-log-prefix portal |\`. The output has one line per event:

\`\`\`json
["2026-11-21T12:00:00.000Z","x9Zr2kTQv0m4pYw1LmNb8g","redirect"]
\`\`\`

## Events

Every event has ${tables.line}. Every event except ${tables.without('method')} is about a request and also has
${tables.list(REQUEST, 'request')}. A \`?\` marks a member that can be missing.

| Event | When | Other members |
| --- | --- | --- |
${tables.events}

| Member | Type | Meaning |
| --- | --- | --- |
${tables.members}

## Outcomes

The outcome of an acknowledgement. From \`recordUnavailable\` on, nothing was sent to the engine.

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
| \`recordUnavailable\` | the ledger could not record the acceptance |
| \`attemptsExhausted\` | the verdict already has 50 recorded attempts (410) |
| \`overloaded\` | no slot was free; \`reason\` names the limit: \`engine\` (all slots), \`database\` (those for policies), \`client address\` (half of all slots) |
| \`superseded\` | a newer acknowledgement of the same verdict replaced it while it waited (503) |
| \`abandoned\` | its browser disconnected while it waited for an earlier one of the same verdict |
| \`stopping\` | the portal is stopping, and an earlier one of the same verdict is still in flight (503) |
| \`codeMalformed\` | a code was missing, unexpected or malformed |
| \`elsewhere\` | it did not come from one of the portal's pages |
| \`prefetch\` | the browser prefetched it |

## Refusals

Why the parameters or the payload of a verdict URL were refused. From \`form\` to \`no ack_token\` the visitor sees the same
page.

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

Many of \`form\`, \`header\` or \`tag\` indicate an attack; \`key\`, \`version\` and \`claim …\`, that engine and portal are
configured differently; \`expired\` alone, that visitors reload old pages, or that a clock is wrong.

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
