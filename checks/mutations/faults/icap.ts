// ICAP: which request is decided, who sends it, and that what cannot be read is refused.
import { mutationsOf } from '../mutation.ts'

const ICAP = 'src/engine/icap'
const RULES = 'test/engine/icap/rules.test.ts'
const PARSER = 'test/engine/icap/parser.test.ts'
const CONNECTION = 'test/engine/icap/connection.test.ts'
const HELPER = 'test/proxy/ruled-hosts.test.ts'

export const ICAP_FAULTS = [
  ...mutationsOf(
    `${ICAP}/http-head.ts`,
    [RULES],
    [
      ['of two Host fields, only the first is decided', 'if (hosts.length > 1) return', 'if (hosts.length > 2) return'],
      [
        'Host may differ from the host that is decided',
        '!isHost(host, parsed.destination, parsed.host)) {',
        '!isHost(host, parsed.destination, parsed.host) && false) {',
      ],
    ],
  ),
  ...mutationsOf(
    `${ICAP}/head-fields.ts`,
    [PARSER, RULES],
    [['a field name with a space hides a second Host', 'if (!NAME.test(name)) return', 'if (false) return']],
  ),
  ...mutationsOf(
    `${ICAP}/icap-head.ts`,
    [PARSER, CONNECTION],
    [
      ["of two clients' addresses, the last counts", 'if (fields.has(name)) repeated = name', ''],
      ['a head of any length is read', 'if (httpBytes > MAXIMUM_HEAD_BYTES) {', 'if (false) {'],
    ],
  ),
  ...mutationsOf(
    `${ICAP}/parser.ts`,
    [PARSER],
    [
      [
        'what follows the first HTTP head is forwarded undecided',
        "bytes.indexOf('\\r\\n\\r\\n', 0, 'latin1') !== httpBytes - 4",
        "!bytes.toString('latin1').endsWith('\\r\\n\\r\\n')",
      ],

      [
        'a chunk may be longer than announced',
        'this.#received.at(0) !== CARRIAGE_RETURN || this.#received.at(1) !== LINE_FEED',
        'false',
      ],
      ['an endless ICAP head is kept', '(length ?? this.#received.length + 1) > MAXIMUM_HEAD_BYTES', 'false'],
    ],
  ),
  ...mutationsOf(
    `${ICAP}/service.ts`,
    [RULES, CONNECTION],
    [
      [
        'any token in the header opens the service',
        '(sent !== undefined && !isToken(sent))',
        '(sent !== undefined && isInPath && !isToken(sent))',
      ],
      [
        'a method that is not known is admitted',
        'method !== METHODS[name]) {',
        'method !== METHODS[name] && ELSEWHERE.has(method)) {',
      ],
      [
        'an ambiguous path is allowed',
        "if (decision.verdict === 'refuse') return refused(AMBIGUOUS_PATH, method)",
        "if (decision.verdict === 'refuse') return ALLOW",
      ],
      [
        'a request within the connection of another site is allowed',
        'request.host !== hostOfHandshake(head.handshake)',
        'false',
      ],
      [
        'every CONNECT is allowed',
        "if (method === 'CONNECT' && connect === 'allow') return ALLOW",
        "if (method === 'CONNECT') return ALLOW",
      ],
      [
        'a request that cannot be read is allowed',
        'if (request.reason !== undefined) return refused(request)',
        'if (request.reason !== undefined) return ALLOW',
      ],
    ],
  ),
  ...mutationsOf(
    `${ICAP}/connection.ts`,
    [CONNECTION],
    [
      [
        'an unexpected error allows the request',
        "this.#fail({ status: 500, reason: 'unexpected error' })",
        'this.#write(this.#options.service.responses.unmodified)',
      ],
      [
        'a request that is refused is forwarded',
        "const isAllowed = action.kind === 'allow'",
        "const isAllowed = action.kind !== 'stop'",
      ],
    ],
  ),
  ...mutationsOf(
    `${ICAP}/requester.ts`,
    [RULES],
    [
      [
        'all visitors whose address cannot be read share one session',
        "if (client === undefined) return malformed('X-Client-IP must be an IP address')",
        "if (client === undefined) return { client: parseClient('0.0.0.0'), user: undefined }",
      ],
    ],
  ),
  ...mutationsOf(
    'src/engine/monitoring/monitoring.ts',
    ['test/engine/icap/rules.test.ts'],
    [
      [
        'a host that cannot be read is not decided',
        'host === undefined || ruledHosts',
        'host !== undefined && ruledHosts',
      ],
    ],
  ),
  ...mutationsOf(
    'src/proxy/ruled-hosts/engine-questions.ts',
    [HELPER],
    [
      ['without an answer of the engine, no host is decided', 'isRuled: true', 'isRuled: false'],
      [
        'an answer that came too late counts',
        'first === undefined || this.#options.clock() >= first.deadline',
        'first === undefined',
      ],
    ],
  ),
]
