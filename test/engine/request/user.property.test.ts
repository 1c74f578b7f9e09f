// Users against a second implementation (obvious-user.ts), and against Unicode's own properties. A failure prints the seed
// that repeats it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseAffix, parseReportedUser, parseUser } from '../../../src/engine/request/user.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { obviousUser } from './obvious-user.ts'

const STRIP = ['SCHOOL\\', 'Schule/', '@School.example', '@ΣΧΟΛΗΣ.example']
const AFFIXES = STRIP.map((one) => parseAffix(one) ?? assert.fail(one))

/** Characters of all kinds: ASCII's, ignorable ones, spaces, other widths and cases, what composes, what expands. */
const piece = fc.oneof(
  fc.constantFrom(...'aAbBsSiIzZ@\\/.-_9 '),
  fc.constantFrom(...'\u200b\u200d\u00ad\u034f\ufe0f\u3164\u2060\ufeff\u202e\u{e0041}'),
  fc.constantFrom(...'\u0600\ufff9\u1806\ufffc'),
  fc.constantFrom(...'\u00a0\u3000\u2009\u1680\u2028\u00b4\u00a8'),
  fc.constantFrom(...'\u0301\u0308\u0307\u0345\u0323\u0338\u3099'),
  fc.constantFrom(...'ａＡ＠＼／ﬁℌ①㎏ﷺｶﾞㅎﾤ℀'),
  fc.constantFrom(...'ßẞſıİΣσςᾼΐŉǰǅᎠꭰᲐéΩµ', 'e\u0301'),
  fc.constantFrom('\t', '\0', '\u0085', '\u007f', '\ud800', '\udc00'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
)
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
const affixed = fc
  .tuple(fc.constantFrom('', ...STRIP.slice(0, 2), 'school＼', 'OTHER\\'), text, fc.constantFrom('', ...STRIP.slice(2)))
  .map((parts) => parts.join(''))
const isDefined = <T>(value: T | undefined): value is T => value !== undefined
/** A name that somebody has. */
const named = text.filter((one) => isDefined(parseUser(one, [])))

function holds<Values extends [unknown, ...unknown[]]>(
  arbitraries: { [Key in keyof Values]: fc.Arbitrary<Values[Key]> },
  check: (...values: Values) => void,
): void {
  fc.assert(fc.property(...arbitraries, check), propertyRuns(5000))
}

test('the obvious implementation reads the same', () => {
  let users = 0
  let stripped = 0
  holds([affixed], (one) => {
    const user = parseUser(one, AFFIXES)
    assert.equal(user, obviousUser(one, STRIP))
    if (user !== undefined) users++
    if (user !== parseUser(one, [])) stripped++
  })
  assert.ok(users > 100 && stripped > 100, `${users} users, ${stripped} without an affix`)
})

test('a user’s name is that user’s', () => {
  holds([named], (one) => {
    const user = parseUser(one, []) ?? assert.fail()
    assert.equal(parseUser(user, []), user)
  })
})

test('characters that nobody sees make no difference', () => {
  const ignorable = fc.constantFrom('\u200b', '\u00ad', '\u034f', '\ufe0f', '\u115f', '\u3164', '\ufeff', '\u{e0100}')
  holds([named, ignorable, fc.nat()], (one, added, at) => {
    const characters = [...one]
    const changed = characters.toSpliced(at % (characters.length + 1), 0, added).join('')
    if (Buffer.byteLength(changed) <= 256) assert.equal(parseUser(changed, []), parseUser(one, []))
  })
})

test('width, case and composition make no difference, nor spaces around a name or several between its parts', () => {
  const fullWidth = (one: string) =>
    one.replace(/[!-~]/g, (ascii) => String.fromCodePoint((ascii.codePointAt(0) ?? 0) + 0xfee0))
  const forms: readonly ((one: string) => string)[] = [
    fullWidth,
    (one) => one.toLowerCase(),
    // The capital of ı is that of i; that of the iota below another letter is a letter that follows.
    (one) => (/ı|\u0345/.test(one.normalize('NFD')) ? one : one.toUpperCase()),
    (one) => one.normalize('NFC'),
    (one) => one.normalize('NFD'),
    (one) => one.normalize('NFKD'),
    (one) => ` \u00a0${one}\u3000`,
    (one) => one.replaceAll(' ', '\u00a0 \u2003'),
  ]
  holds([named, fc.constantFrom(...forms)], (one, form) => {
    const changed = form(one)
    if (Buffer.byteLength(changed) <= 256) assert.equal(parseUser(changed, []), parseUser(one, []))
  })
})

test('every character that Unicode folds is folded, and no other', () => {
  // Ignorable to directories only, or white space; of Cherokee, we fold to the small letters, and Unicode to the capitals.
  const isDifferent = /\p{Cf}|[\u1806\ufffc\p{White_Space}]|\p{Script=Cherokee}/u
  let folded = 0
  for (let code = 0; code < 0x110000; code++) {
    const one = String.fromCodePoint(code)
    if (/[\p{Unassigned}\p{Private_Use}]/u.test(one)) continue
    // Between characters with which it does not compose.
    const name = `1${one}1`
    const user = parseUser(name, [])
    if (/[\p{Control}\p{Surrogate}]/u.test(one)) {
      assert.equal(user, undefined)
      continue
    }
    assert.equal(parseUser(user ?? '', []), user, code.toString(16))
    if (isDifferent.test(one)) continue
    const changes = /\p{Changes_When_NFKC_Casefolded}/u.test(one)
    assert.equal(user !== name, changes, code.toString(16))
    if (changes) folded++
  }
  assert.ok(folded > 6_000, `${folded}`)
})

test('two characters that differ only in case are one, and only these', () => {
  const cased = Array.from({ length: 0x110000 }, (_, code) => code)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code))
    .filter((one) => /\p{Changes_When_Casemapped}/u.test(one) && one.normalize('NFKC') === one)
  for (const one of cased) {
    // Regular expressions compare by Unicode's simple folding.
    const isSame = new RegExp(`^${one}$`, 'iu')
    for (const other of [one.toLowerCase(), one.toUpperCase()]) {
      if (isSame.test(other)) assert.equal(parseUser(`1${other}1`, []), parseUser(`1${one}1`, []), one)
    }
    const folded = (parseUser(`1${one}1`, []) ?? '').slice(1, -1)
    if ([...folded].length === 1) assert.match(folded, isSame)
  }
  assert.notEqual(parseUser('ılgaz', []), parseUser('ilgaz', []))
  assert.equal(parseUser('WEISS', []), parseUser('weiß', []))
  assert.equal(parseUser('ΟΔΥΣΣΕΥΣ.Α', []), parseUser('οδυσσευς.α', []))
})

test('names of nobody: of no visible character, of control characters, too long, or placeholders', () => {
  const none = [
    '',
    ' ',
    '\u00a0',
    '\u200b',
    '\u3164 \u2060',
    '\ufeff',
    'a\0',
    'a\u0085',
    '\talice',
    'alice\n',
    'a\ud800b',
  ]
  for (const one of [...none, 'x'.repeat(257), `a${'\u200b'.repeat(86)}`, 'ﷺ'.repeat(9)]) {
    assert.equal(parseUser(one, []), undefined, JSON.stringify(one))
  }
  // Whatever domains and realms are removed.
  const placeholders = [
    ...'- -- － -\u200b "" \'\' ? * . \\ / // : @ \u2014 (null) (NULL) （ｎｕｌｌ） <null> [none] {} WinNT:/// WinNT://'.split(
      ' ',
    ),
    ...'WinNT://SCHOOL/ LDAP:// SCHOOL\\ SCHOOL\\- SCHOOL/(null) @school.example -@school.example'.split(' '),
    ...['(null)@OTHER.example', 'SCHOOL/@school.example', 'SCHULE/\u00a0', 'OTHER\\ \u200b', ' - ', '(no user)'],
    ...['( unknown )', 'NT AUTHORITY\\ANONYMOUS LOGON', 'AUTORITE NT\\anonymous logon', 'Anonymous  Logon'],
  ]
  for (const one of placeholders) {
    for (const affixes of [[], AFFIXES, ['school\\', 'school/', 'schule/', '@school.example']]) {
      assert.deepEqual(parseReportedUser(one, affixes), { user: undefined }, one)
      assert.equal(parseUser(one, affixes), undefined, one)
    }
  }
  const users = 'null none anonymous guest -a- a- 7 pc01$ o(null) я 名 x@'.split(' ')
  for (const one of [...users, '(a) b']) assert.equal(parseUser(one, []), one)
})

const FORMS: readonly (readonly [user: string, ...names: string[]])[] = [
  [
    'alice',
    'alice',
    'SCHOOL\\Alice',
    'ＳＣＨＯＯＬ＼ａｌｉｃｅ',
    'SCHULE/alice',
    'Alice@SCHOOL.Example',
    'SCHO\u200bOL\\alice',
  ],
  ['alice', 'SCHOOL\\alice@school.example', 'SCHOOL\\ alice @school.example', 'alice@σχολης.example'],
  ['alice', '\u00a0 SCHOOL\\alice@school.example\u3000'],
  ['school/alice', 'school／alice'],
  // One of each, at most.
  ['schule/alice', 'SCHOOL\\SCHULE/alice'],
  ['school\\alice', 'SCHOOL\\SCHOOL\\alice'],
  ['alice@school.example', 'alice@school.example@school.example'],
  ['other\\alice', 'OTHER\\alice'],
  ['myschool\\alice', 'MYSCHOOL\\alice'],
  ...['alice@other.example', 'alice@sub.school.example', 'alice@school.example.org', 'schoolalice'].map(
    (name) => [name, name] as const,
  ),
]

test('domains and realms are removed from a name', () => {
  for (const [user, ...names] of FORMS) {
    for (const name of names) assert.equal(parseUser(name, AFFIXES), user, name)
  }
  const others = 'SCHOOL school.example a@school.example \\ / @ @a@b @a/ A\\B\\ @a\\b'.split(' ')
  for (const one of [...others, '']) assert.equal(parseAffix(one), undefined, one)
  assert.deepEqual(['Ａ＼', 'A /', ' @B.example '].map(parseAffix), ['a\\', 'a /', '@b.example'])
})
