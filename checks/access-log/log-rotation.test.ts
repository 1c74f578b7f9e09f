// deploy/observability/logrotate-proxy: the rotated log is complete, and Squid continues in the new one.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { hasCommand, skipUnless } from '../../test/support/requirement.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { until } from '../../test/support/until.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

const skip = skipWithoutGateway || skipUnless(hasCommand('logrotate'), 'needs logrotate: apt-get install logrotate')
/** Of nobody: logrotate accepts only names. */
const USER = 65_534
const FROM = '127.0.0.9'

for (const format of ['json', 'squid']) {
  test(`the log as ${format}`, { skip, timeout: 60_000 }, async (t) => {
    const folder = temporaryFolder(t)
    chownSync(folder, USER, USER)
    const file = join(folder, 'access.log')
    const settings = { PROXY_ACCESS_LOG: file, PROXY_ACCESS_LOG_FORMAT: format }
    const gateway = await startGateway(t, { sites: { names: ['news.example'] }, settings, user: USER })
    // A CONNECT, and a request in it.
    const isLogged = (path: string) => existsSync(path) && readFileSync(path, 'utf8').split(FROM).length === 3
    await gateway.request('https://news.example/', { from: FROM })
    await until(() => isLogged(file))

    const shipped = readFileSync(new URL('../../deploy/observability/logrotate-proxy', import.meta.url), 'utf8')
    const configuration = shipped
      .replaceAll('/var/log/gateway-proxy', folder)
      .replaceAll('/run/gateway-proxy', gateway.run)
      .replace('su gateway-proxy gateway-bump', 'su nobody nogroup')
      .replace('dateext', 'nodateext')
    writeFileSync(join(folder, 'logrotate.conf'), configuration, { mode: 0o644 })
    execFileSync('logrotate', ['--force', '--state', `${folder}.state`, join(folder, 'logrotate.conf')])
    t.after(() => rmSync(`${folder}.state`))
    await gateway.request('https://news.example/', { from: FROM })
    await until(() => isLogged(file))
    assert.ok(isLogged(`${file}.1`))
    assert.equal(statSync(file).uid, USER)
  })
}
