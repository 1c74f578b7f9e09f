// `npm run release`: what it creates is listed and signed, and the archive runs where it is unpacked, without this repository
// and without another Node. The packages have a check of their own.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import packageJson from '#package' with { type: 'json' }
import { temporaryFolder } from '../../test/support/temporary-folder.ts'

const RELEASE = fileURLToPath(new URL('../../scripts/release.ts', import.meta.url))

test('the archive for Linux', (t) => {
  const folder = temporaryFolder(t)
  const dist = join(folder, 'dist')
  const GNUPGHOME = join(folder, 'gnupg')
  mkdirSync(GNUPGHOME, { mode: 0o700 })
  const withKeys = { env: { ...process.env, GNUPGHOME } }
  const key = 'releases@example.org'
  execFileSync('gpg', ['--batch', '--quiet', '--passphrase', '', '--quick-generate-key', key], withKeys)
  const options = ['--unchecked', '--no-signatures', '--no-images', '--sign', key]
  execFileSync(process.execPath, [RELEASE, ...options, '--platform', 'linux-x64', '--output', dist], withKeys)
  const name = `gatewayctl-${packageJson.version}-linux-x64`
  const bill = `${packageJson.name}-${packageJson.version}.cdx.json`
  const packages = ['engine_V_amd64', 'portal_V_amd64', 'squid_V_amd64'].map(
    (one) => `gateway-${one.replace('V', packageJson.version)}.deb`,
  )
  const files = [bill, ...packages, `${name}.tar.gz`]
  assert.deepEqual(readdirSync(dist).toSorted(), ['SHA256SUMS', 'SHA256SUMS.asc', ...files].toSorted())
  const listed = readFileSync(join(dist, 'SHA256SUMS'), 'utf8').trim().split('\n')
  assert.deepEqual(listed.map((line) => line.slice(66)).toSorted(), files.toSorted())
  execFileSync('gpg', ['--export', '--output', join(folder, 'release.gpg')], withKeys)
  const signed = ['SHA256SUMS.asc', 'SHA256SUMS'].map((file) => join(dist, file))
  execFileSync('gpgv', ['--keyring', join(folder, 'release.gpg'), ...signed], { stdio: 'ignore' })
  assert.match(readFileSync(join(dist, bill), 'utf8'), RegExp(`"pkg:generic/node@${process.versions.node}"`))
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: dist })

  execFileSync('tar', ['-C', folder, '-xzf', join(dist, `${name}.tar.gz`)])
  const home = join(folder, name)
  assert.deepEqual(readdirSync(home).toSorted(), [
    'LICENSE',
    'bin',
    'gatewayctl',
    'node_modules',
    'package.json',
    'src',
  ])
  assert.ok(existsSync(join(home, 'src', 'portal', 'preview', 'main.ts')))
  assert.ok(readFileSync(join(home, 'LICENSE'), 'utf8').includes('Apache License'))
  for (const absent of ['src/engine', 'node_modules/reflect-metadata', 'node_modules/typescript', 'test']) {
    assert.ok(!existsSync(join(home, absent)), absent)
  }

  mkdirSync(join(folder, 'path'))
  symlinkSync(`../${name}/gatewayctl`, join(folder, 'path', 'linked'))
  symlinkSync('linked', join(folder, 'path', 'gatewayctl'))
  const env = { PATH: `${join(folder, 'path')}:/usr/bin:/bin` }
  const run = (...args: string[]) => execFileSync('gatewayctl', args, { env, cwd: '/', encoding: 'utf8' })
  assert.match(run('--help'), /^Usage: gatewayctl /)
  assert.equal(run('--version'), `${packageJson.version}\n`)
  assert.match(run('secret', 'new'), /^[\w-]{43}\n$/)
  assert.match(run('portal', 'pac', '--proxy', 'proxy.example:3128'), /FindProxyForURL/)
})
