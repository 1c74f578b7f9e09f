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

The portal logs to standard output, one JSON object per line. Lines with an \`event\` are the audit log
([JSON Schema](audit-log.schema.json) 2020-12); later versions may add members and events. Each request has one line, except those
shed under [overload](reliability.md#limits) (counted as \`overloaded\`), or while 4 MB wait for the log's reader
(\`log lines lost\`).

**Never in it**: the payload \`p\`, override codes, cookies, tokens, the visitor's address and browser.

\`reference\` is the verdict's id (\`jti\`), which the visitor sees and the ledger stores. Only
[the engine's log](engine-audit-log.md) has address and user, with the same id.

<!-- run by checks/documented/portal.test.ts -->
\`\`\`sh
journalctl --unit gateway-portal --output cat |
  jq -cR 'fromjson? | select(.event == "acknowledgement" or .event == "lockout") | [.time, .reference, .outcome]'
\`\`\`

In containers the first line is \`docker compose logs --no-log-prefix portal |\`. It prints:

\`\`\`json
["2026-11-21T12:00:00.000Z","x9Zr2kTQv0m4pYw1LmNb8g","redirect"]
\`\`\`

## Events

Every event has ${tables.line}; all except ${tables.without('method')} also have
${tables.list(REQUEST, 'request')}. The schema describes each; a \`?\` marks one that can be missing.

${tables.events}

## Outcomes

Of an acknowledgement. From \`recordUnavailable\` on, nothing was sent to the engine.

- \`redirect\`: the engine accepted it
- \`codeRejected\`: the override code was wrong
- \`refused\`: the engine refused it (403)
- \`lockedOut\`: too many wrong codes
- \`expired\`: too old for the engine (410)
- \`rejected\`: another 4xx, such as for a wrong \`ENGINE_API_TOKEN\`
- \`broken\`: no response, or an invalid one
- \`late\`: no response within \`ENGINE_TIMEOUT_SECONDS\`
- \`recordUnavailable\`: the ledger could not record the acceptance
- \`attemptsExhausted\`: the verdict has 50 recorded attempts (410)
- \`overloaded\`: no slot was free, by \`reason\` of all (\`engine\`) or of the client's half (\`client address\`)
- \`superseded\`: a newer one of the verdict replaced it in the queue (503)
- \`abandoned\`: its browser disconnected while it was queued
- \`stopping\`: the portal stopped while it was queued (503)
- \`codeMalformed\`: a code was missing, unexpected or malformed
- \`crossSite\`: it did not come from one of the portal's pages
- \`prefetch\`: the browser prefetched it

## Refusals

Why a verdict URL was refused. From \`form\` to \`no ack_token\` the visitor sees the same page.

- \`length\`: the URL is longer than 7,500 bytes
- \`query\`: not exactly \`p\`, \`v\` and \`ts\`, or one is malformed
- \`version\`: unsupported protocol version
- \`form\`: \`p\` is not the protocol's compact JWE
- \`header\`: not the protocol's header
- \`key\`: unknown key: the secrets differ, or a rotation is incomplete
- \`tag\`: modified or forged
- \`not JSON\`: the content is not JSON
- \`claim …\`: missing or invalid
- \`ts mismatch\`: the URL's \`ts\` differs from the payload's
- \`kind mismatch\`: the verdict belongs to another page
- \`no ack_token\`: the verdict cannot be acknowledged
- \`expired\`: older than the replay window, or from the future

Many of \`form\`, \`header\` or \`tag\` indicate an attack; \`key\`, \`version\` and \`claim …\`, different settings of engine and
portal; \`expired\`, old pages or a wrong clock.

## The configuration

\`start\` has the configuration; instead of secrets, the ids (\`kid\`) of the keys that open payloads (\`payload.keys\`), the number
of session keys (\`session.secrets\`), and whether a token is set (\`engine.apiToken\`).
`
}
