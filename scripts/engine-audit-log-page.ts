// Generates docs/engine-audit-log.md and its JSON schema from the schemas of the events.
import { auditEvent, auditEvents } from '../src/engine/monitoring/audit-events.ts'
import { createTables, jsonSchema } from './audit-log-tables.ts'

const tables = createTables(auditEvents, [])

/** The content of docs/engine-audit-log.schema.json. */
export function engineAuditLogSchema(): string {
  return jsonSchema(auditEvent)
}

/** The content of docs/engine-audit-log.md. */
export function engineAuditLogPage(): string {
  return `<!-- Generated from src/engine/monitoring/audit-events.ts and scripts/engine-audit-log-page.ts by \`npm run docs\`; edit these files instead. -->

# The engine's audit log

The engine logs to standard output, one JSON object per line. A line with an \`event\` is an event of the audit log: a stopped
request, an acknowledgement, or what an administrator changed. Lines without one are for people: what was loaded, warnings,
errors.

Decisions never wait for the log's reader. When 4 MB wait for it, further lines are dropped and counted (\`log lines lost\`).

[engine-audit-log.schema.json](engine-audit-log.schema.json) describes the events as a JSON schema (2020-12). Later versions may
add members and events. The meaning of existing ones does not change.

**Never in it**: the payload \`p\`, override codes, tokens, a URL's path and query. Its host only with \`hosts\`. Untrusted text
cannot break out of its line, or act on a terminal: it is escaped.

\`\`\`toml
[audit]
allowed = true   # a line for each allowed request, too: many
hosts = true     # the URL's host in the lines of requests
\`\`\`

**It names people**: addresses, user names and what was stopped. Keep it as long as your rules permit. \`reference\` joins it with
[the portal's audit log](audit-log.md) and with the ledger, which do not know who the visitor was:

<!-- run by test/deploy/documented-engine.test.ts -->
\`\`\`sh
journalctl --unit gateway-engine --output cat |
  jq -cR 'fromjson? | select(.reference == "x9Zr2kTQv0m4pYw1LmNb8g") | [.time, .event, .client, .user, .rule]'
\`\`\`

In containers the first line is \`docker compose logs --no-log-prefix engine |\`. While it runs, the engine itself can explain the
last 10,000 stopped requests: \`gatewayctl engine why --reference x9Zr2kTQv0m4pYw1LmNb8g\`.

## Events

Every event has ${tables.line}. A \`?\` marks a member that can be missing.

| Event | When | Other members |
| --- | --- | --- |
${tables.events}

| Member | Type | Meaning |
| --- | --- | --- |
${tables.members}

## Outcomes

| Outcome of an acknowledgement | Meaning |
| --- | --- |
| \`accepted\` | a session was created, unless \`repeated\` |
| \`refused\` | the payload did not open, cannot be acknowledged, or its token is another verdict's (\`reason\`) |
| \`expired\` | too old, or the policy no longer has that rule in that form |
| \`code missing\`, \`code unexpected\` | the rule requires a code, or does not |
| \`code rejected\` | a wrong code |
| \`locked out\` | too many wrong codes |
| \`busy\` | too many attempts are counted at once, so no code was compared |
| \`unavailable\` | the database could not be written (\`reason\`) |
| \`malformed\` | the portal's request could not be read |
`
}
