// Random configurations of squidGuard, and requests that they are about. They have nothing that docs/import.md says is decided
// differently: squidguard.test.ts has that in a table.
import fc from 'fast-check'
import type { Asked } from '../../test/gatewayctl/import/imported-policy.ts'
import type { Case } from './both.ts'

const words = (text: string) => fc.constantFrom(...text.split(' '))
const some = <T>(one: fc.Arbitrary<T>, maxLength = 3) => fc.array(one, { minLength: 1, maxLength })

const TIMES = ['early', 'late', 'noon']
const SOURCES = ['students', 'staff', 'library', 'guests']
const DESTINATIONS = ['adult', 'games', 'good', 'empty', 'tools']

const span = fc
  .tuple(fc.integer({ min: 0, max: 46 }), fc.integer({ min: 1, max: 47 }))
  .map(([start, length]) => [start, Math.min(48, start + length)].map(halfHour).join('-'))
const weekly = fc
  .tuple(words('* mtwhf sa f mon monday,tue friday'), some(span, 2))
  .map(([days, spans]) => `  weekly ${days} ${spans.join(' ')}`)
const date = words(
  '2026-11-24 2026.11.22-2026.11.25 2026-11-27-2027-01-02 2027.11.24 *.11.23 2026-*-26 *.*.28 *.12.24 2019.11.20-2026.11.21',
)
const dated = fc
  .tuple(date, fc.option(some(span, 2)))
  .map(([dates, spans]) => `  date ${dates} ${(spans ?? []).join(' ')}`)
const element = fc.oneof(weekly, dated)
const time = some(element, 3).map((elements) => `{\n${elements.join('\n')}\n}`)

function halfHour(number: number): string {
  return `${String(Math.floor(number / 2)).padStart(2, '0')}:${number % 2 === 0 ? '00' : '30'}`
}

const timed = (statement: string) =>
  fc.option(
    fc.tuple(words('within outside'), fc.constantFrom(...TIMES)).map(([word, name]) => `${statement}${word} ${name}`),
    { nil: '', freq: 2 },
  )

const address = words(
  '10.0.0.0/24 10.0.0.7 10.0.0.0/255.255.255.0 10.0.0.5-10.0.0.9 10.0.1.0-10.0.1.255 10.0.0.0/8 10.0.1.9/25 0.0.0.0/0',
)
const user = words('anna ben carla')
const source = fc.record({
  ip: fc.option(some(address), { freq: 4 }),
  iplist: fc.option(some(address), { freq: 1 }),
  user: fc.option(some(user), { freq: 1 }),
  userlist: fc.option(some(user), { freq: 1 }),
  time: timed('  '),
  isContinued: fc.nat({ max: 3 }).map((number) => number === 0),
})

const name = words(
  'a.example b.example c.test x.a.example y.x.a.example b.test zip 192.0.2.7 WWW.B.example xn--bcher-kva.test',
)
/** Of the hosts that requests have below these, squidGuard covers only www. */
const place = fc
  .tuple(
    words('other.example www.c.test c.test y.x.a.example 192.0.2.7 b.test:8080'),
    words('/foo /bar /foo/x / /Foo/y'),
  )
  .map(([host, path]) => (path === '/' ? host : `${host}${path}`))
const destination = fc.record({
  // squidGuard does not find a name reliably if the list has others below it.
  domains: fc.option(
    some(name, 4).map((all) => withoutExtensions(all, (one, other) => `.${one}`.endsWith(`.${other}`))),
  ),
  urls: fc.option(
    some(place, 4).map((all) => withoutExtensions(all, (one, other) => keyOf(one).startsWith(keyOf(other)))),
  ),
  time: timed('  '),
})

const keyOf = (place: string) => place.toLowerCase().replace(/:[0-9]+/, '')

/** Without those that others include, and without repeated ones. */
function withoutExtensions(
  all: readonly string[],
  includes: (one: string, other: string) => boolean,
): readonly string[] {
  return all.filter((one, index) =>
    all.every(
      (other, at) =>
        at === index ||
        !includes(one.toLowerCase(), other.toLowerCase()) ||
        (keyOf(one) === keyOf(other) && at > index),
    ),
  )
}

const entry = fc.tuple(words('! ! '), fc.constantFrom(...DESTINATIONS, 'in-addr')).map(([sign, one]) => `${sign}${one}`)
const pass = fc
  .tuple(fc.array(entry, { maxLength: 4 }), words('all any none !all '))
  .map(([entries, end]) => ['pass', ...entries, end].join(' ').trim())
const rules = fc.option(pass, { nil: '', freq: 6 })
const acl = fc.record({ source: fc.constantFrom(...SOURCES), time: timed(' '), first: rules, other: fc.option(rules) })

/** With its files, by name. */
export const configuration: fc.Arbitrary<Case> = fc
  .record({
    times: fc.tuple(time, time, time),
    sources: fc.tuple(source, source, source, source),
    destinations: fc.tuple(destination, destination, destination, destination),
    acls: fc.array(acl, { maxLength: 4 }),
    fallback: rules,
  })
  .map(({ times, sources, destinations, acls, fallback }) => {
    const files: Record<string, string> = {}
    const file = (path: string, lines: readonly string[]) => {
      files[path] = lines.map((line) => `${line}\n`).join('')
      return path
    }
    const blocks = [
      'dbhome DBHOME\nlogdir DBHOME',
      ...times.map((block, index) => `time ${TIMES[index]} ${block}`),
      ...sources.map(({ ip, iplist, user, userlist, time, isContinued }, index) => {
        const name = SOURCES[index]
        return [
          `src ${name} {`,
          ...(ip === null ? [] : [`  ip ${ip.join(' ')}`]),
          ...(iplist === null ? [] : [`  iplist ${file(`${name}.addresses`, iplist)}`]),
          ...(user === null ? [] : [`  user ${user.join(' ')}`]),
          ...(userlist === null ? [] : [`  userlist ${file(`${name}.users`, userlist)}`]),
          ...[time, isContinued ? '  continue' : '', '}'],
        ].join('\n')
      }),
      ...destinations.map(({ domains, urls, time }, index) => {
        const name = DESTINATIONS[index]
        return [
          `dest ${name} {`,
          ...(domains === null ? [] : [`  domainlist ${file(`${name}/domains`, domains)}`]),
          ...(urls === null ? [] : [`  urllist ${file(`${name}/urls`, urls)}`]),
          ...[time, '}'],
        ].join('\n')
      }),
      `dest ${DESTINATIONS[4]} {\n}`,
      [
        'acl {',
        ...acls.map(
          ({ source, time, first, other }) =>
            `  ${source}${time} {\n    ${first}\n  }${other === null ? '' : ` else {\n    ${other}\n  }`}`,
        ),
        `  default {\n    ${fallback}\n    redirect http://blocked.example/\n  }\n}`,
      ].join('\n'),
    ]
    return { configuration: `${blocks.join('\n\n')}\n`, files }
  })

const host = words(
  'a.example www.a.example x.a.example y.x.a.example b.example www.b.example sub.www.b.example c.test www.c.test b.test www.b.test ' +
    'www2.c.test other.example www.other.example x.zip 192.0.2.7 192.0.2.8 xn--bcher-kva.test A.EXAMPLE xa.example',
)
export const request: fc.Arbitrary<Asked> = fc.record({
  url: fc
    .tuple(words('http https'), host, words('  :8080'), words('/ /foo /foo/ /foo/x /foo/x/y?q=1 /bar /other?/foo'))
    .map(([scheme, host, port, path]) => `${scheme}://${host}${/^www/.test(host) ? '' : port}${path}`),
  client: words('10.0.0.7 10.0.0.8 10.0.0.250 10.0.1.9 10.9.9.9 192.168.1.1'),
  user: fc.option(user, { nil: undefined }),
})

/** Within a minute: with `-t`, squidGuard's clock may be a second behind. */
export const moment = fc
  .tuple(fc.integer({ min: 20, max: 28 }), fc.integer({ min: 0, max: 47 }), words('15 45'))
  .map(([day, half, second]) => `2026-11-${day}T${halfHour(half)}:${second}`)
