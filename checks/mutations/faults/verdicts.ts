// From the verdict to the acknowledgement: sealing, the portal's checks, redeeming, codes and sessions.
import { mutationsOf } from '../mutation.ts'

const PAYLOAD = 'test/contract/payload.test.ts'
const REFUSALS = 'test/portal/acknowledgement/refusals.test.ts'
const ENGINE = 'test/engine/engine.test.ts'
const ACKNOWLEDGEMENT = 'test/engine/control-api/acknowledgement.test.ts'
const CODES = 'test/engine/control-api/override-code.test.ts'
const ATTEMPTS = 'test/engine/state/attempts.test.ts'
const LESSON_CODES = 'test/engine/control-api/lesson-codes.test.ts'
const SESSIONS = 'test/engine/state/sessions/sessions.test.ts'

const PRESENCE = 'test/engine/control-api/presence.test.ts'

export const VERDICT_FAULTS = [
  ...mutationsOf(
    'src/contract/payload.ts',
    [PAYLOAD, 'test/portal/verdict/vectors.test.ts'],
    [
      ['a payload needs no valid tag', 'decipher.final()\n', ''],
      [
        'a payload opens with a key that it does not name',
        'const key = opening.get(kid)\n',
        'const key = opening.get(kid) ?? [...opening.values()][0]\n',
      ],

      [
        'other spellings of a payload open',
        "target.write(encoded, 'base64url') === target.length && target.toString('base64url') === encoded",
        "target.write(encoded, 'base64url') === target.length",
      ],
    ],
  ),
  ...mutationsOf(
    'src/contract/verdict.ts',
    ['test/contract/verdict.test.ts'],
    [
      [
        'a "block" can be acknowledged',
        "(kind === 'block' || !isText(ackToken, 16, 512))",
        '!isText(ackToken, 16, 512)',
      ],
    ],
  ),
  ...mutationsOf(
    'src/contract/secret.ts',
    ['test/contract/secret.test.ts'],
    [['a short secret seals', 'if ([...secret].length < MINIMUM_CHARACTERS) {', 'if (secret.length === 0) {']],
  ),
  ...mutationsOf(
    'src/contract/verdict-url.ts',
    ['test/contract/verdict-url.test.ts', 'test/portal/verdict/route.test.ts', REFUSALS],
    [
      [
        'a visitor chooses when a verdict was issued',
        "if (verdict.issuedAt !== query.ts) return { refusal: 'ts mismatch' }",
        '',
      ],
      ['a verdict of the future opens', "return 'future'", "return 'fresh'"],
      ['a verdict can be acknowledged at any time', "? 'late' : 'expired'", "? 'late' : 'late'"],
    ],
  ),
  ...mutationsOf(
    'src/portal/verdict/route.ts',
    ['test/portal/verdict/route.test.ts', 'test/portal/visitor/session.test.ts'],
    [
      ["a verdict opens on another kind's page", 'if (verdict.kind !== kind) return', 'if (false) return'],
      [
        'an old policy opens in a browser that was never shown it',
        'reference === verdict.reference)\n',
        'reference !== undefined)\n',
      ],
    ],
  ),
  ...mutationsOf(
    'src/portal/acknowledgement/check.ts',
    [REFUSALS],
    [
      ['another site acknowledges for the visitor', 'if (!OWN_SITES.has(site)) return false', ''],
      [
        'a script that fetches links accepts a policy',
        "if (destination === 'empty') return headers[OVERRIDE_CODE_HEADER] !== undefined",
        "if (destination === 'empty') return true",
      ],

      [
        'a code is not required',
        'isCodeRequired !== (header !== undefined) || isCodeRequired !== (overrideCode !== undefined)',
        'false',
      ],
    ],
  ),
  ...mutationsOf(
    'src/portal/acknowledgement/route.ts',
    ['test/portal/acknowledgement/storage.test.ts'],
    [
      [
        'an acceptance that was not recorded opens',
        'if (reason !== undefined) return failed',
        'if (false) return failed',
      ],
      ['a policy is accepted without a record', "verdict.kind === 'aup'", 'false'],
    ],
  ),
  ...mutationsOf(
    'src/portal/engine-client/response.ts',
    ['test/portal/engine-client/response.test.ts', 'test/portal/acknowledgement/redirect.test.ts'],
    [
      [
        'the redirect leads to a script',
        '/^https?:\\/\\/[\\x21-\\x7e\\x80-\\xff]+$/i',
        '/^[a-z]+:[\\x21-\\x7e\\x80-\\xff]+$/i',
      ],
    ],
  ),
  ...mutationsOf(
    'src/portal/engine-client/tls-agents.ts',
    ['test/portal/engine-client/tls.test.ts'],
    [['anybody is the engine', 'rejectUnauthorized: true', 'rejectUnauthorized: false']],
  ),
  ...mutationsOf(
    'src/engine/verdict/ack-token.ts',
    ['test/engine/verdict/ack-token.test.ts'],
    [
      ['an ack_token needs no valid tag', 'decipher.final()\n', ''],
      ['an ack_token has a short tag', 'const TAG_BYTES = 16', 'const TAG_BYTES = 4'],
      ['an ack_token is valid for another rule', '${scheme}${host}\\n${ruleName}`', '${scheme}${host}`'],
      ['an ack_token is valid for another kind', '${reference}\\n${kind}\\n', '${reference}\\n'],
    ],
  ),
  ...mutationsOf(
    'src/engine/engine.ts',
    [ENGINE, ACKNOWLEDGEMENT],
    [
      ['a switch that is on stops nothing', 'clock(), state.switches)', 'clock())'],
      ['an ack_token never expires', ' || now > token.expiresAt', ''],
      ["a rule's new kind opens with the old one's verdict", 'rule.action === verdict.kind &&', ''],
      [
        'a rule that nobody may acknowledge any more opens',
        'isAcknowledgeable(rule, clock(), state.lessonCodes) &&',
        '',
      ],
      [
        'a session opens a rule that nobody may acknowledge any more',
        "rule.action === 'block' || !rule.acknowledge",
        "rule.action === 'block'",
      ],
      [
        'an ack_token is valid for another path',
        'token === undefined || (!verdict.shortened && !isWhole(verdict, token))',
        'token === undefined',
      ],
    ],
  ),
  ...mutationsOf(
    'src/engine/engine.ts',
    ['test/regressions/a-reload-failed-decisions-that-waited.test.ts'],
    [
      [
        'a session that is found opens what a reload has closed meanwhile',
        '.then((isFound) => decide(',
        '.then((isFound) => isFound ? withSession : decide(',
      ],
    ],
  ),
  ...mutationsOf(
    'src/engine/engine.ts',
    [CODES],
    [
      ['a wrong code opens', 'if (checked.rejection !== undefined) return checked.rejection', ''],
      ['a code is not required', "if (code === undefined) return { kind: 'code missing' }", ''],
      [
        'codes are compared during a lockout',
        "if (attempt.kind === 'locked out') return { rejection: lockedOut(attempt.retryAfterMs) }",
        '',
      ],
      [
        'codes are compared that cannot be counted',
        "if (attempt.kind === 'full') return { rejection: { kind: 'busy' } }",
        '',
      ],
    ],
  ),
  ...mutationsOf(
    'src/engine/verdict/override-code.ts',
    [ENGINE],
    [['a code that has expired opens', 'one.expires === undefined || at < one.expires', 'true']],
  ),
  ...mutationsOf(
    'src/engine/state/lesson-codes.ts',
    ['test/engine/state/lesson-codes.test.ts', LESSON_CODES],
    [
      ['a lesson code lets every rule offer a field', '(byRule.get(rule) ?? [])', '[...byRule.values()].flat()'],
      ['a lesson code never ends', ' && one.expiresAt > now)', ')'],
      [
        'a lesson code that was ended opens',
        "        .where('lesson_code', '=', id)\n",
        "        .where('lesson_code', '=', '')\n",
      ],
    ],
  ),
  ...mutationsOf(
    'src/engine/state/sessions/redemptions.ts',
    [LESSON_CODES],
    [['a session lasts longer than its lesson code', 'end === Infinity ? whole', 'end > 0 ? whole']],
  ),
  ...mutationsOf(
    'src/engine/verdict/rule-claims.ts',
    [LESSON_CODES],
    [['a rule without a code in force offers a field', 'return isInForce || ', 'return true || ']],
  ),
  ...mutationsOf(
    'src/engine/state/attempts.ts',
    [ATTEMPTS],
    [
      ['one code more than allowed is compared', 'engine_attempt.used < cast(', 'engine_attempt.used <= cast('],
      ['different codes within five seconds count once', '`${reference} ${code}`', '`${reference}`'],
    ],
  ),
  ...mutationsOf(
    'src/engine/state/holder.ts',
    [ATTEMPTS, CODES],
    [['each address of an IPv6 network may guess', '`client ${client.network}`', '`client ${client.address}`']],
  ),
  ...mutationsOf(
    'src/engine/state/holder.ts',
    [SESSIONS],
    [['a session opens for the whole network', '`client ${client.address}`', '`client ${client.network}`']],
  ),
  ...mutationsOf(
    'src/engine/state/sessions/redemptions.ts',
    ['test/engine/state/sessions/redemptions.test.ts'],
    [['each repetition of an acknowledgement opens again', 'if (first === undefined) return undefined', '']],
  ),
  ...mutationsOf(
    'src/engine/state/sessions/session-lookups.ts',
    ['test/engine/state/sessions/session-lookups.test.ts'],
    [['a slow database opens', 'resolve(false)', 'resolve(true)']],
  ),
  ...mutationsOf(
    'src/engine/state/sessions/session-memory.ts',
    [SESSIONS],
    [['a session that was ended stays open', 'else live.delete(key)', '']],
  ),
  ...mutationsOf(
    'src/engine/state/sessions/sessions.ts',
    [SESSIONS],
    [
      [
        'another engine does not learn that a session was ended',
        "where('revision', '>', sql",
        "where('revision', '<', sql",
      ],
    ],
  ),
  ...mutationsOf(
    'src/engine/state/expiring-map.ts',
    ['test/engine/state/expiring-map.test.ts'],
    [['a session never expires', 'if (entry.expiresAt > clock()) return entry.value', 'return entry.value']],
  ),
  ...mutationsOf(
    'src/engine/state/permissions.ts',
    ['test/engine/control-api/administration/permissions.test.ts'],
    [
      ['a permission for a host opens all below it', '(below || at === host) && expiresAt', 'expiresAt'],
      ['a permission never ends', ' && expiresAt > now()', ''],
    ],
  ),
  ...mutationsOf(
    'src/engine/state/permissions.ts',
    ['test/engine/state/scoped-permissions.test.ts'],
    [
      [
        'an older engine opens for everyone what is open for some',
        'const isScoped = Object.values(scope).some(',
        'const isScoped = !Object.values(scope).some(',
      ],
      [
        'a permission whose network cannot be read is for everyone',
        'if (network !== undefined && client === undefined) return undefined',
        '',
      ],
    ],
  ),
  ...mutationsOf(
    'src/engine/control-api/access.ts',
    ['test/engine/control-api/access.test.ts'],
    [
      ['the API token administers', 'administration: adminToken, ', 'administration: undefined, '],
      [
        'any token opens the control API',
        'equalInConstantTime(token, own',
        'token.length > 0 || equalInConstantTime(token, own',
      ],
      ['every address may connect', 'if (isFromOneOf(clients, remoteAddress)) return undefined', 'return undefined'],
    ],
  ),
  ...mutationsOf(
    'src/engine/control-api/access.ts',
    [PRESENCE],
    [['the API token reports users', 'presence: presenceToken, token', 'presence: undefined, token']],
  ),
  ...mutationsOf(
    'src/engine/request/reported-user.ts',
    [PRESENCE],
    [
      ['a report replaces the user whom the proxy names', 'request.user !== undefined || ', ''],
      ['a report names a user where devices sign in', ' || !isFromOneOf(authExcept, address)', ''],
    ],
  ),
  ...mutationsOf(
    'src/engine/control-api/presence.ts',
    [PRESENCE],
    [
      ['a report that is not valid leaves the previous user', 'await endAt(address, from, () => true)', ''],
      ['a late end of one device ends the report about the next one', 'data.user === undefined || ', 'true || '],
    ],
  ),
  ...mutationsOf(
    'src/engine/state/presences.ts',
    [PRESENCE],
    [['a report holds for days', 'Math.min(until, clock.current() + MAXIMUM_MS)', 'until']],
  ),
]
