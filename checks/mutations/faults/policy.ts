// The policy: whom a rule matches, and which hosts the proxy need not ask about.
import { mutationsOf } from '../mutation.ts'

const POLICY = 'src/engine/policy'
const RANDOM_POLICIES = 'test/engine/policy/matching.property.test.ts'
const RULES = 'test/engine/icap/rules.test.ts'
const FALLBACKS = 'test/engine/policy/list-fallback.property.test.ts'
const COPIED_FILES = 'test/engine/policy/reload/copied-files.test.ts'
const COPIES = 'test/engine/policy/reload/list-copies.test.ts'

export const POLICY_FAULTS = [
  ...mutationsOf(
    `${POLICY}/policy.ts`,
    [RANDOM_POLICIES],
    [
      ['an "allow" rule with a path accepts any reading of it', "rule.action === 'allow'", 'false'],
      [
        'exceptions of an "allow" rule are ignored',
        'rule.except === undefined) return reason',
        'rule.except === undefined || isAllowing) return reason',
      ],
    ],
  ),
  ...mutationsOf(
    `${POLICY}/conditions.ts`,
    [RANDOM_POLICIES],
    [
      [
        'an "allow" rule applies at any time',
        'isWithin(when, at) || undefined,',
        'isWithin(when, at) || when.length > 0 || undefined,',
      ],
      ['an "allow" rule applies to every client', 'ranges.find((range) => isInRange(range, address))', 'ranges[0]'],
      [
        'a visitor without a name is every user',
        'request.user !== undefined && users.has(request.user)',
        'request.user === undefined || users.has(request.user)',
      ],
      ['an "allow" rule for a group applies to everybody', 'groupOf(groups, user)', 'groups[0]'],
      [
        'one condition of a rule suffices',
        'if (hit === undefined) return undefined',
        'if (hit === undefined) continue',
      ],
    ],
  ),
  ...mutationsOf(
    `${POLICY}/policy.ts`,
    ['test/engine/engine.test.ts'],
    [
      [
        'an earlier rule opens what a locked one stops',
        '[...rules.filter(isLocked), ...rules.filter(',
        '[...rules.filter(',
      ],
    ],
  ),
  ...mutationsOf(
    `${POLICY}/opening.ts`,
    ['test/engine/engine.test.ts'],
    [
      ['a permission opens what a locked rule stops', 'isLocked(rule) ? undefined : applying', 'applying'],
      ['a permission opens what a switch stops', 'rule.switch === undefined && !isLocked(rule)', '!isLocked(rule)'],
    ],
  ),
  ...mutationsOf(
    `${POLICY}/opening.ts`,
    ['test/engine/control-api/administration/permissions.test.ts'],
    [
      [
        'a permission for a network is for everyone',
        'client === undefined || isInRange(client, address)',
        'client === undefined || client.words.length > 0',
      ],
      ['a permission for a room is for everyone', 'room === undefined || isInside', 'room === undefined || rooms'],
      ['a permission for a user is for everyone', 'user === undefined || user === sent', 'user === undefined || sent'],
      ['a permission for a group is for everyone', 'group === undefined || isMember', 'group === undefined || sent'],
    ],
  ),
  ...mutationsOf(
    `${POLICY}/conditions.ts`,
    [RULES],
    [
      [
        'dot segments pass a rule with a path',
        "return isAmbiguous ? 'ambiguous' : reason",
        'return isAmbiguous ? undefined : reason',
      ],
    ],
  ),
  ...mutationsOf(
    'src/engine/state/switches.ts',
    ['test/engine/state/switches.test.ts'],
    [
      ['a switch never turns off', 'expiresAt <= (end ?? now) ||', ''],
      ['a switch for one room is on in another', '!(network === undefined || isInRange(network, address))', 'false'],
    ],
  ),
  ...mutationsOf(
    'src/engine/portal-identity.ts',
    ['test/engine/engine.test.ts'],
    [
      [
        "a host that ends with one of the portal's names is the portal",
        'names.includes(host)',
        'names.some((name) => host.endsWith(name))',
      ],
    ],
  ),
  ...mutationsOf(
    `${POLICY}/schedule/schedule.ts`,
    ['test/engine/policy/schedule.test.ts'],
    [
      [
        'a schedule lasts a minute too long',
        'minute < to && beginsOn(span, date)\n',
        'minute <= to && beginsOn(span, date)\n',
      ],
      ['a schedule also applies on the days that not_on excludes', ' && !notOn.has(day)', ''],
      ['a schedule for one date also applies after it', ' && day <= last', ''],
    ],
  ),
  ...mutationsOf(
    'src/network/host-pattern.ts',
    ['test/network/host-pattern.test.ts'],
    [
      [
        '"*.site.example" also matches site.example',
        'depth === last ? pattern.itself : pattern.below',
        'pattern.itself || pattern.below',
      ],
      [
        'an address that a rule names passes it',
        "return isAddress(host) ? 1 : host.split('.').length",
        "return host.split('.').length",
      ],
    ],
  ),
  ...mutationsOf(
    'src/network/host.ts',
    ['test/network/host-pattern.test.ts', RULES],
    [
      ['a dot at the end of a name passes a rule', "while (hostname[end - 1] === '.') end--", ''],
      ['an IPv4 address within an IPv6 one passes a rule', 'parseAddress(address) ?? address', 'address'],
    ],
  ),
  ...mutationsOf(
    'src/network/url-path.ts',
    ['test/network/url-path.test.ts'],
    [
      ['a parameter within a path passes a rule', "path.replace(/;[^/]*/g, '')", 'path'],

      ['one reading of a path suffices to allow it', 'path.all.every(isRead)', 'path.all.some(isRead)'],
      [
        'a prefix to allow ends within a segment',
        "(path.length === prefix.length || path[prefix.length] === '/')",
        'true',
      ],
      [
        'capitals pass a rule with a path',
        'path.folded.some((reading) => prefix.folded',
        'path.all.some((reading) => prefix.all',
      ],
    ],
  ),
  ...mutationsOf(
    'src/network/address-range.ts',
    ['test/network/host-pattern.test.ts'],
    [
      [
        'a network includes its neighbours',
        'const masks = words.map((_, index) => maskOf(bits - index * 32))',
        'const masks = words.map((_, index) => maskOf(bits - 1 - index * 32))',
      ],
    ],
  ),
  ...mutationsOf(
    `${POLICY}/lists/domain-list.ts`,
    [RANDOM_POLICIES],
    [
      [
        'a list covers no hosts below its names',
        'names.deepest) - 1; depth >= 0; depth--',
        'names.deepest) - 1; depth >= count - 1; depth--',
      ],
      [
        'a path of a list is not compared where it is ambiguous',
        "if (found === 'ambiguous') isAmbiguous = true",
        "if (found === 'ambiguous') continue",
      ],
    ],
  ),
  ...mutationsOf(
    `${POLICY}/lists/url-paths.ts`,
    ['test/engine/policy/lists/formats.test.ts'],
    [
      ['a list allows a path of which it has one reading', 'all.every((one)', 'all.some((one)'],
      [
        'a list stops a path in one spelling only',
        'for (const reading of path.folded)',
        'for (const reading of [path.all[0]])',
      ],
    ],
  ),
  ...mutationsOf(
    `${POLICY}/lists/formats/adblock.ts`,
    ['test/engine/policy/lists/formats.test.ts'],
    [
      [
        'a rule with modifiers stops, or opens, a whole host',
        '(after === caret + 1 || bytes[after] !== NUMBER_SIGN)',
        'bytes[after] === 0',
      ],
    ],
  ),
  ...mutationsOf(
    'src/engine/proxy-settings/ruled-hosts.ts',
    ['test/engine/policy/lists/archive.test.ts'],
    [['a host with listed paths is not ruled', ': hostEntry(lists, subject)', ': undefined']],
  ),
  ...mutationsOf(
    `${POLICY}/conditions.ts`,
    [FALLBACKS],
    [['a list with the content of another file allows', "if (strict && list.fallback?.kind === 'other') continue", '']],
  ),
  ...mutationsOf(
    `${POLICY}/policy.ts`,
    [FALLBACKS],
    [
      [
        'an "allow" rule applies without its missing exceptions',
        'if (missingException(rule) !== undefined)',
        'if (false)',
      ],
    ],
  ),
  ...mutationsOf(
    `${POLICY}/lists/list-loader.ts`,
    [COPIES],
    [
      ['a damaged copy of a list comes into force', 'reading.digest === copy.digest && rejection', 'rejection'],
      ['a copy of another list allows', 'const isOwn = isOfSource(copy, list)', 'const isOwn = copy !== undefined'],
    ],
  ),
  ...mutationsOf(
    `${POLICY}/lists/list-loader.ts`,
    [COPIED_FILES],
    [
      [
        'what breaks an expectation becomes the copy',
        "const { fallback = { kind: 'kept', since: before.acceptedAt } } = before",
        'const { fallback } = before',
      ],
    ],
  ),
  ...mutationsOf(
    `${POLICY}/lists/domain-list.ts`,
    [COPIED_FILES],
    [['another member of an archive is the same list', '[format, path, urls, member]', '[format, path, urls]']],
  ),
  ...mutationsOf(
    `${POLICY}/lists/archive/member.ts`,
    [COPIED_FILES],
    [
      [
        'what follows the compressed data of an archive is not in its digest',
        'for await (const _ of chunksOf(file, reading));',
        '',
      ],
    ],
  ),
  ...mutationsOf(
    `${POLICY}/lists/list-copies.ts`,
    [COPIES],
    [
      [
        'a file that has changed becomes the copy of what is in force',
        "if (hash.digest('base64url') !== digest)",
        'if (false)',
      ],
    ],
  ),
  ...mutationsOf(
    `${POLICY}/lists/name-table.ts`,
    ['test/engine/policy/lists/name-table.test.ts'],
    [
      [
        'the last name of each group of a list is not found',
        'this.#index[prefix] as number, end, low',
        'this.#index[prefix] as number, end - 1, low',
      ],
      [
        'a list that a reload has replaced covers nothing',
        "throw new Error('the list has been replaced by a reload')",
        'return false',
      ],
    ],
  ),
  ...mutationsOf(
    `${POLICY}/reload/losses.ts`,
    ['test/engine/policy/reload/losses.test.ts'],
    [
      ['a policy, list or group that lost half comes into force', 'now * 2 > before', 'now > 0'],
      ['a policy that lost default = "block" comes into force', "candidate.default !== 'allow'", 'true'],
      ['a policy that was cut within its last rule comes into force', 'candidate.expectations,', 'Infinity,'],
    ],
  ),
  ...mutationsOf(
    'src/engine/settings/settings.ts',
    ['test/regressions/a-locked-rule-did-not-stop-tunnels.test.ts'],
    [['a rule is locked while undecided tunnels pass', "inForce === 'allow'", 'false']],
  ),
  ...mutationsOf(
    `${POLICY}/reload/policy-store.ts`,
    ['test/regressions/an-emptied-policy-opened-everything.test.ts'],
    [
      [
        'a policy with problems comes into force',
        'settings.buildPolicy === undefined || problems.length > 0',
        'settings.buildPolicy === undefined',
      ],
    ],
  ),
  ...mutationsOf(
    `${POLICY}/reload/policy-store.ts`,
    ['test/engine/policy/reload/expectations.test.ts'],
    [['a policy that breaks an expectation comes into force', 'acceptable.broken.length > 0', 'false']],
  ),
  ...mutationsOf(
    `${POLICY}/expectations/acceptable.ts`,
    ['test/engine/policy/reload/expectations.test.ts'],
    [['a list that breaks an expectation keeps the rest out', 'lists.updated.length === 0', 'true']],
  ),
  ...mutationsOf(
    `${POLICY}/expectations/broken.ts`,
    ['test/engine/policy/expectations/broken.test.ts'],
    [
      ['an expectation needs no time where a schedule decides', "subject, ['when']", 'subject, []'],
      ['a rule that matches nothing hides a schedule', 'if (missingException(rule) !== undefined) continue', ''],
      ['the rule that an expectation names does not count', '(rule === undefined || rule === name)', 'true'],
    ],
  ),
  ...mutationsOf(
    'src/engine/proxy-settings/ruled-hosts.ts',
    ['test/engine/proxy-settings/ruled-hosts.test.ts'],
    [
      [
        'hosts of "warn" and "aup" rules are not decided',
        "if (action !== 'allow') return",
        "if (action === 'block') return",
      ],
      [
        'with default = "block", hosts that no rule names are not decided',
        "if (otherwise !== 'allow') return",
        'if (false) return',
      ],
      [
        'addresses of a network that a rule names are not decided',
        'network !== undefined && isAddress(host)',
        'network !== undefined && host.length === 0',
      ],
    ],
  ),
  ...mutationsOf(
    'src/engine/request/user.ts',
    ['test/engine/request/user.property.test.ts', 'test/engine/users.test.ts'],
    [
      ['visitors without a name share one user', 'if (isNobody(folded)) return { user: undefined }', ''],
      ['a name in capitals is another user', 'return text.toLowerCase()', 'return text'],
    ],
  ),
]
