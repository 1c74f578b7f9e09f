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

The engine logs to standard output, one JSON object per line. Lines with an \`event\` are the audit log
([JSON Schema](engine-audit-log.schema.json) 2020-12). Lines dropped while 4 MB wait for the log's reader are counted
(\`log lines lost\`).

**Never in it**: the payload \`p\`, override codes, tokens, a URL's path and query, and without
[\`[audit] hosts\`](engine.md#the-toml-file) its host.

**It names people**: keep it as long as your rules permit. \`reference\` joins it with the portal's log and the ledger:

<!-- run by checks/documented/engine.test.ts -->
\`\`\`sh
journalctl --unit gateway-engine --output cat |
  jq -cR 'fromjson? | select(.reference == "x9Zr2kTQv0m4pYw1LmNb8g") | [.time, .event, .client, .user, .rule]'
\`\`\`

In containers the first line is \`docker compose logs --no-log-prefix engine |\`. The last 10,000 stopped requests, and without
their path those in [the journal](journal.md), are explained by \`gatewayctl engine why --reference x9Zr2kTQv0m4pYw1LmNb8g\`.

## Events

Every event has ${tables.line}. The schema describes each; a \`?\` marks one that can be missing.

${tables.events}

## Outcomes

Of an acknowledgement:

- \`accepted\`: a session was created, unless \`repeated\`
- \`refused\`: the payload did not open, cannot be acknowledged, or has another verdict's token
- \`expired\`: too old, or the policy no longer has that rule in that form
- \`code missing\`, \`code unexpected\`: the rule requires a code, or does not
- \`code rejected\`: a wrong code
- \`locked out\`: too many wrong codes
- \`busy\`: too many attempts are counted at once: no code was compared
- \`unavailable\`: the database could not be written
- \`malformed\`: the portal's request could not be read
`
}
