// Runs the page's command for Debian exactly as shown: afterwards the system trusts the portal.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { makeServed } from '../../support/certificates.ts'
import { hasCommand, skipUnless } from '../../support/requirement.ts'
import { startSmallTerminator } from '../../support/small-terminator.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { only, parsePage, textOf } from '../markup.ts'
import { startPublishing } from './published-ca.ts'

const run = promisify(execFile)
const HOST = 'portal.test'

const isRoot = process.getuid?.() === 0
const isThere = ['openssl', 'update-ca-certificates', 'curl'].every(hasCommand)
/** In separate namespaces, the command does not change this machine's trust store. */
const canIsolate = isRoot && hasCommand('unshare') && succeeds('unshare', ['--mount', 'true'])
const skip = skipUnless(
  isThere && isRoot && (canIsolate || process.env.CI === 'true'),
  'needs root on Debian, the right to unshare mounts, and: apt-get install openssl ca-certificates curl',
)

const ISOLATE = `
mount -t tmpfs none /usr/local/share/ca-certificates
cp -a /etc/ssl/certs "$PWD/certs"
mount --bind "$PWD/certs" /etc/ssl/certs
`
const UNDO = `
trap 'rm -f /usr/local/share/ca-certificates/gateway-ca-*.crt; update-ca-certificates --fresh >/dev/null' EXIT
`

test('Debian trusts the portal after the page’s command', { skip }, async (t) => {
  const { ca, leaf } = makeServed(HOST)
  const { portal } = await startPublishing(t, ca.certificate + ca.key)
  const terminator = await startSmallTerminator(portal.port, leaf)
  t.after(() => terminator.close())
  const page = parsePage(await (await portal.get('/ca', { 'x-forwarded-proto': 'http' })).text())
  const command = textOf(only(page, 'id', 'command-debian'))

  const folder = folderWithSudo(t)
  const { httpPort, httpsPort } = terminator
  const curl = `curl -sS --resolve ${HOST}:${httpsPort}:127.0.0.1 https://${HOST}:${httpsPort}/healthz`
  const script = `set -e
${canIsolate ? ISOLATE : UNDO}
curl -fsSOJ http://127.0.0.1:${httpPort}/ca.crt
if ${curl} 2>/dev/null; then exit 9; fi
${curl} --cacert gateway-ca-*.crt
${command} >&2
${curl}
`
  const [program, ...parameters] = canIsolate ? ['unshare', '--mount', 'bash', '-c', script] : ['bash', '-c', script]
  const env = { PATH: `${folder}:${process.env.PATH}` }
  const { stdout } = await run(program as string, parameters, { cwd: folder, env })
  const health = `{"status":"ok","version":"${portal.config.release.version}","release_type":"IR"}`
  assert.equal(stdout, health + health)
})

/** root in a container has no sudo, and does not need it. */
function folderWithSudo(t: TestContext): string {
  const folder = temporaryFolder(t)
  if (!hasCommand('sudo')) writeFileSync(join(folder, 'sudo'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 })
  return folder
}

function succeeds(program: string, parameters: readonly string[]): boolean {
  try {
    execFileSync(program, parameters, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
