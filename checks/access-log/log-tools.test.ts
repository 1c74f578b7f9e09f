// Squid's own log format: what the tools that read it report of a log that the proxy wrote, and that no page's address is in it.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { hasCommand, skipUnless } from '../../test/support/requirement.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { until } from '../../test/support/until.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

const names = ['news.example', 'shop.example']
const SECRET = 'zqsecret'
const CLIENTS = ['127.0.0.5', '127.0.0.6', '127.0.0.7']

describe('the log in Squid’s format', { skip: skipWithoutGateway, timeout: 120_000 }, async () => {
  const folder = temporaryFolder({ after })
  chmodSync(folder, 0o777)
  const file = join(folder, 'access.log')
  const settings = { PROXY_ACCESS_LOG: file, PROXY_ACCESS_LOG_FORMAT: 'squid' }
  const gateway = await startGateway({ after }, { sites: { names }, settings })
  const lines = () => readFileSync(file, 'utf8').split('\n').slice(0, -1)
  // 12 requests, of which 3 are CONNECT.
  for (const from of CLIENTS) {
    for (const url of [
      `http://news.example/${SECRET}?${SECRET}`,
      `https://shop.example/${SECRET}?${SECRET}`,
      `http://127.0.0.1:8080/${SECRET}`,
    ]) {
      await gateway.request(url, { from, headers: { cookie: SECRET, referer: `https://a.example/${SECRET}` } })
    }
  }
  const ofClients = () => lines().filter((line) => CLIENTS.some((client) => line.includes(` ${client} `)))
  await until(() => ofClients().length === 12).catch(() => assert.fail(lines().join('\n')))
  // Of this machine, which only found out whether the proxy listens.
  writeFileSync(file, `${ofClients().join('\n')}\n`)

  test('has no path, and otherwise what Squid’s has', () => {
    const of = (client: string) =>
      ofClients()
        .filter((line) => line.includes(` ${client} `))
        .map((line) => line.replace(/^\d{10}\.\d{3} +\d+ /, ''))
    for (const client of CLIENTS) {
      const [plain = '', connect = '', decrypted = '', denied = ''] = of(client)
      assert.match(plain, /^127\.0\.0\.\d TCP_MISS\/200 \d+ GET http:\/\/news\.example\/ - HIER_DIRECT\/[\d.]+ -$/)
      assert.match(connect, /^127\.0\.0\.\d NONE_NONE\/200 0 CONNECT shop\.example:443 - HIER_NONE\/- -$/)
      assert.match(decrypted, /^127\.0\.0\.\d TCP_MISS\/200 \d+ GET https:\/\/shop\.example\/ - HIER_DIRECT\/[\d.]+ -$/)
      assert.match(
        denied,
        /^127\.0\.0\.\d TCP_DENIED\/403 \d+ GET http:\/\/127\.0\.0\.1:8080\/ - HIER_NONE\/- text\/html$/,
      )
    }
    assert.doesNotMatch(readFileSync(file, 'utf8'), new RegExp(SECRET))
  })

  /** Bytes that the clients received, as the fourth field counts them, without those of lines that match. */
  const bytes = (client: string, others = /^$/) =>
    ofClients()
      .filter((line) => line.includes(` ${client} `) && !others.test(line))
      .reduce((sum, line) => sum + Number(line.split(/ +/)[4]), 0)

  test('Calamaris', {
    skip: skipUnless(hasCommand('calamaris'), 'needs Calamaris: apt-get install calamaris'),
  }, () => {
    const report = execFileSync('calamaris', ['-a', '-r', '-1'], { input: readFileSync(file) }).toString()
    assert.match(report, /^invalid lines: +lines +0 *$/m)
    assert.match(report, /^Total amount: +requests +12 *$/m)
    assert.match(report, /^unique hosts\/users: +hosts +3 *$/m)
    for (const client of CLIENTS) assert.match(report, new RegExp(`^${client} +4 .* ${bytes(client)} `, 'm'))
    assert.match(report, /^news\.example +3 /m)
    assert.match(report, /^shop\.example +6 /m)
  })

  test('SARG', { skip: skipUnless(hasCommand('sarg'), 'needs SARG: apt-get install sarg') }, () => {
    const output = join(folder, 'sarg')
    const configuration = join(folder, 'sarg.conf')
    mkdirSync(output)
    writeFileSync(configuration, `output_dir ${output}\ntemporary_dir ${folder}\n`)
    execFileSync('sarg', ['-f', configuration, '-l', file, '-o', output], { stdio: 'pipe' })
    const page = (name: string) => {
      const [path = assert.fail(name)] = globSync(join(output, '*', name))
      return readFileSync(path, 'utf8')
        .replace(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ')
    }
    for (const client of CLIENTS) {
      assert.match(page('index.html'), new RegExp(` ${client} 4 ${Math.floor(bytes(client) / 10) / 100}K `))
    }
    assert.match(page('index.html'), / TOTAL 12 /)
    for (const site of ['news.example', 'shop.example', 'shop.example:443', '127.0.0.1:8080']) {
      assert.match(page('topsites.html'), new RegExp(` ${site} 3 [\\d.K]+ 0 3 `))
    }
  })

  const parser = '/usr/share/lightsquid/lightparser.pl'
  test('LightSquid, without what was denied', {
    skip: skipUnless(existsSync(parser), 'needs LightSquid: apt-get install lightsquid'),
  }, () => {
    const report = join(folder, 'report')
    mkdirSync(report)
    const configuration = readFileSync('/etc/lightsquid/lightsquid.cfg', 'utf8')
      .replace(/^\$reportpath .*/m, `$reportpath = "${report}";`)
      .replace(/^\$logpath .*/m, `$logpath = "${folder}";`)
    writeFileSync(join(folder, 'lightsquid.cfg'), configuration)
    // Without a date, its version 1.8 reads no line of after 2020.
    execFileSync('perl', ['-I', folder, parser, 'today'], { stdio: 'pipe' })
    const [day = assert.fail('no report')] = readdirSync(report)
    const read = (name: string) => readFileSync(join(report, day, name), 'utf8')
    assert.match(read('.total'), /^user: 3$/m)
    for (const client of CLIENTS) {
      assert.match(read('.total'), new RegExp(`^${client} +${bytes(client, /DENIED/)} +3 `, 'm'))
      for (const site of ['news.example', 'shop.example', 'shop.example:443']) {
        assert.match(read(client), new RegExp(`^${site} +\\d+ +1\\t`, 'm'))
      }
    }
  })
})
