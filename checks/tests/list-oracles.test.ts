// Generated lists, as the programs that they are published for read them: dnsmasq, Unbound and squidGuard, on loopback, stop the
// same hosts and URLs as a list does, but for differences that are named here.
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { entryFor, readText, urlFor } from '../../test/engine/policy/entries-of.ts'
import { freePort } from '../../test/support/free-port.ts'
import { hasCommand, skipUnless } from '../../test/support/requirement.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { until } from '../../test/support/until.ts'

const withDnsmasq = { skip: skipUnless(hasCommand('dnsmasq'), 'needs dnsmasq: apt-get install dnsmasq-base') }
const withUnbound = { skip: skipUnless(hasCommand('unbound'), 'needs unbound: apt-get install unbound') }
const withSquidGuard = { skip: skipUnless(hasCommand('squidGuard'), 'needs squidGuard: apt-get install squidguard') }

const SEED = 38
/** What the name server behind them responds for every name. */
const ELSEWHERE = '192.0.2.77'
const PARALLEL = 20

const label = fc.constantFrom('a', 'b', 'ok', 'x-y', 'casino', 'xn--bcher-kva')
const top = fc.constantFrom('alpha.example', 'beta.example', 'gamma.example', 'delta.example')
const name = fc.tuple(fc.array(label, { maxLength: 3 }), top).map(([labels, end]) => [...labels, end].join('.'))

/** Of lists: those above cover too much of what is asked. */
const listed = name.filter((one) => one.split('.').length > 3 || one === 'alpha.example')

function sample<T>(arbitrary: fc.Arbitrary<T>, numRuns: number): T[] {
  return fc.sample(arbitrary, { seed: SEED, numRuns })
}

/** A name server that responds to everything with the same address. */
async function startElsewhere(t: TestContext): Promise<number> {
  const socket = createSocket('udp4')
  t.after(() => socket.close())
  socket.on('message', (query, { port, address }) => {
    const end = query.indexOf(0, 12) + 5
    const head = Buffer.from(query.subarray(0, 12))
    head.writeUInt16BE(0x8180, 2)
    const hasAddress = query.readUInt16BE(end - 4) === 1
    head.writeUInt16BE(hasAddress ? 1 : 0, 6)
    head.fill(0, 8, 12)
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...ELSEWHERE.split('.').map(Number)])
    socket.send(Buffer.concat([head, query.subarray(12, end), ...(hasAddress ? [answer] : [])]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return socket.address().port
}

/** Starts a name server, and returns which of the names it stops. */
async function stoppedBy(t: TestContext, port: number, words: readonly string[], names: readonly string[]) {
  const [program = '', ...args] = words
  const child = spawn(program, args, { stdio: 'ignore' })
  t.after(() => end(child))
  const resolver = new Resolver({ timeout: 2000, tries: 3 })
  resolver.setServers([`127.0.0.1:${port}`])
  const isStopped = async (one: string) => {
    try {
      return !(await resolver.resolve4(one)).includes(ELSEWHERE)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOTFOUND' || code === 'ENODATA' || code === 'EREFUSED') return true
      throw error
    }
  }
  await until(async () => child.exitCode === null && !(await isStopped('open.example').catch(() => true)), 20)
  const stopped = new Set<string>()
  for (let from = 0; from < names.length; from += PARALLEL) {
    const some = names.slice(from, from + PARALLEL)
    const results = await Promise.all(some.map(isStopped))
    for (const [index, one] of some.entries()) if (results[index]) stopped.add(one)
  }
  return stopped
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || !child.kill('SIGKILL')) return
  await once(child, 'exit')
}

/**
 * Compares the list with what a program stops.
 * @param isDifferent whether the list may cover what the program does not stop
 */
function assertSame(
  text: string,
  names: readonly string[],
  stopped: ReadonlySet<string>,
  isDifferent = (_name: string, _entry: string) => false,
): void {
  const list = readText(text)
  assert.equal(list.invalid, 0, `${list.firstInvalid}`)
  let differences = 0
  for (const one of names) {
    const entry = entryFor(one, list)
    if (entry !== undefined && !stopped.has(one) && isDifferent(one, entry)) differences++
    else assert.equal(entry !== undefined, stopped.has(one), one)
  }
  assert.ok(
    stopped.size > names.length / 10 && stopped.size < names.length * 0.95,
    `${stopped.size} of ${names.length}`,
  )
  assert.ok(differences < names.length / 4, `${differences} of ${names.length} differ`)
}

/** The lists' names, those above and below them, and others. */
const ASKED = [...new Set(sample(name, 700))].filter((one) => one !== 'open.example')

test('dnsmasq: address, and local and server without an address', withDnsmasq, async (t) => {
  const [elsewhere, port] = [await startElsewhere(t), await freePort()]
  const line = fc.tuple(
    listed,
    fc.constantFrom('address=/N/', 'address=/N/0.0.0.0', 'address=/N/#', 'local=/N/', 'server=/N/'),
  )
  const lines = sample(line, 60).map(([one, form]) => form.replace('N', one))
  // Difference: dnsmasq forwards a name within one that it stops, where its lookups have a server of their own. Not listed here:
  const forwarded = [...new Set(sample(name, 10).map((one) => `f.${one.replace('example', 'test')}`))]
  const forwards = forwarded.map(
    (one, index) => `${index % 2 === 0 ? 'server' : 'local'}=/${one}/127.0.0.1#${elsewhere}`,
  )
  const asked = [...ASKED, ...forwarded]
  const text = `# a list\n${[...lines, ...forwards].join('\n')}\n`
  const file = join(temporaryFolder(t), 'list.conf')
  writeFileSync(file, text)
  const options = [
    '--no-hosts',
    '--no-resolv',
    '--bind-interfaces',
    '--listen-address=127.0.0.1',
    '--user=root',
    '--pid-file=',
  ]
  const words = ['dnsmasq', '--keep-in-foreground', `--port=${port}`, `--conf-file=${file}`, ...options]
  assertSame(text, asked, await stoppedBy(t, port, [...words, `--server=127.0.0.1#${elsewhere}`], asked))
})

/** @param more of the configuration */
function writeUnbound(t: TestContext, port: number, elsewhere: number, modules: string, more: string): string {
  const folder = temporaryFolder(t)
  const file = join(folder, 'unbound.conf')
  const server = [
    ...[`interface: 127.0.0.1@${port}`, 'do-daemonize: no', 'username: ""', 'chroot: ""', `directory: "${folder}"`],
    ...['pidfile: ""', 'use-syslog: no', 'logfile: ""', 'verbosity: 0', `module-config: "${modules}"`],
    ...['do-not-query-localhost: no', 'num-threads: 1', 'do-tcp: no'],
  ]
  const forward = `forward-zone:\n  name: "."\n  forward-addr: 127.0.0.1@${elsewhere}\n`
  writeFileSync(file, `server:\n${server.map((one) => `  ${one}\n`).join('')}${more}\n${forward}`)
  return file
}

test('Unbound: local-zone, of types that stop and of types that do not', withUnbound, async (t) => {
  const [elsewhere, port] = [await startElsewhere(t), await freePort()]
  const stopping = 'always_nxdomain always_refuse always_nodata always_null refuse static redirect'.split(' ')
  const type = fc.constantFrom(...stopping, 'transparent', 'always_transparent', 'typetransparent', 'inform')
  const zones = new Map(sample(fc.tuple(listed, type), 90))
  const lines = [...zones].map(([one, kind]) => `  local-zone: "${one}${one.length % 2 === 0 ? '.' : ''}" ${kind}`)
  const text = `server:\n${lines.join('\n')}\n`
  const file = writeUnbound(t, port, elsewhere, 'iterator', text)
  assertSame(text, ASKED, await stoppedBy(t, port, ['unbound', '-d', '-c', file], ASKED))
})

test('Unbound: a response policy zone', withUnbound, async (t) => {
  const [elsewhere, port] = [await startElsewhere(t), await freePort()]
  const target = fc.constantFrom('.', '.', '*.', 'rpz-drop.x', 'rpz-passthru.', 'safe.alpha.test.')
  const records = new Map(sample(fc.tuple(name, target), 60).filter(([, where]) => where !== 'rpz-drop.x'))
  // Difference: in a zone, a name without its `*.` stops itself alone, while an entry of a list covers all below. As published:
  const lines = [...records].flatMap(([one, where]) => [`${one} CNAME ${where}`, `*.${one} CNAME ${where}`])
  const head =
    '$TTL 300\n@ IN SOA localhost. root.localhost. (\n  1 ; serial\n  3600 600 86400 300 )\n  IN NS localhost.\n'
  const text = `${head}${lines.join('\n')}\n`
  const zone = join(temporaryFolder(t), 'rpz.zone')
  writeFileSync(zone, `$ORIGIN rpz.example.\n${text}`)
  const rpz = `rpz:\n  name: "rpz.example"\n  zonefile: "${zone}"\n`
  const file = writeUnbound(t, port, elsewhere, 'respip iterator', rpz)
  const stopped = await stoppedBy(t, port, ['unbound', '-d', '-c', file], ASKED)
  // Difference: a record that responds with another name's address stops nothing in a list.
  const rewritten = [...records].filter(([, where]) => where.startsWith('safe')).map(([one]) => one)
  const isRewritten = (one: string) => rewritten.some((other) => one === other || one.endsWith(`.${other}`))
  const asked = ASKED.filter((one) => !isRewritten(one))
  // Difference: between a name and `*.` above it, a name that has records below it, or is one, hides the latter (RFC 4592).
  const isHidden = (one: string, entry: string) => {
    const between = one.split('.').map((_, index, labels) => labels.slice(index).join('.'))
    const longer = between.filter((part) => part.length > entry.length)
    return longer.some((part) => [...records.keys()].some((owner) => owner.endsWith(`.${part}`)))
  }
  assertSame(text, asked, new Set([...stopped].filter((one) => !isRewritten(one))), isHidden)
})

test('squidGuard: domains and urls', withSquidGuard, (t) => {
  const folder = temporaryFolder(t)
  const db = join(folder, 'db')
  mkdirSync(db)
  const segment = fc.constantFrom('a', 'b', 'sex', 'page.html', '~anna', 'x-1')
  const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/'))
  const domains = [...new Set(sample(listed, 12))]
  const urls = [...new Set(sample(fc.tuple(name, path), 150).map((parts) => parts.join('/')))]
  writeFileSync(join(db, 'domains'), `${domains.join('\n')}\n`)
  writeFileSync(join(db, 'urls'), `${urls.join('\n')}\n`)
  const file = join(folder, 'squidguard.conf')
  const acl = 'acl {\n default {\n pass !bad all\n redirect http://stopped.example/\n }\n}\n'
  writeFileSync(file, `dbhome ${db}\nlogdir ${folder}\ndest bad {\n domainlist domains\n urllist urls\n}\n${acl}`)
  const beginning = fc.constantFrom('', '', 'www.')
  const asked = sample(fc.tuple(beginning, name, path, fc.constantFrom('', '', '/', '/more', 'X', '?q=1')), 2000)
  const asks = [
    ...asked.map(([www, host, rest, more]) => `http://${www}${host}/${rest}${more}`),
    ...urls.flatMap((one) => ['', '/', '/more', 'X'].map((more) => `http://${one}${more}`)),
  ]
  const input = asks.map((url) => `${url} 198.51.100.7/- - GET\n`).join('')
  const lines = execFileSync('squidGuard', ['-c', file], { input, timeout: 60_000 }).toString().trim().split('\n')
  assert.equal(lines.length, asks.length)
  const [names, paths] = [readText(`${domains.join('\n')}\n`), readText(`${urls.join('\n')}\n`, 'urls')]
  assert.deepEqual([names.invalid, paths.invalid, paths.skipped], [0, 0, 0])
  const isOurs = (url: string) =>
    entryFor(new URL(url).hostname, names) !== undefined || urlFor(url, paths) !== undefined
  const isPrefix = (entry: string, plain: string) => `${plain}/`.startsWith(`${entry}/`)
  let [stopped, longer, below] = [0, 0, 0]
  for (const [index, url] of asks.entries()) {
    const isTheirs = lines[index]?.startsWith('OK') === true
    if (isTheirs) stopped++
    if (isOurs(url) === isTheirs) continue
    const plain = url.replace(/^http:\/\/(www\.)?/, '')
    if (isTheirs) {
      // Difference: for squidGuard, "/sex" is the beginning of "/sexual", too.
      assert.ok(
        urls.some((one) => plain.startsWith(one) && /^[^/]/.test(plain.slice(one.length))),
        url,
      )
      longer++
    } else {
      // Difference: for squidGuard, a URL's host is that host, or `www.` before it; in a list, each host below it.
      // Difference: squidGuard misses some URLs of an entry where it has a longer one that begins likewise.
      const isBelow = !urls.some((one) => isPrefix(one, plain))
      const isHidden = urls.some(
        (one) => isPrefix(one, plain) && urls.some((other) => other !== one && other.startsWith(one)),
      )
      assert.ok(isBelow || isHidden, url)
      below++
    }
  }
  assert.ok(stopped > 300 && longer > 20 && below > 20, `${stopped} stopped, differences: ${longer} and ${below}`)
})
