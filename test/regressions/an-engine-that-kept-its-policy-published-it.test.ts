// Seen: of two engines with one folder, one got a faulty copy of the new policy, kept the old one, and published the proxy's
// settings of that over those of the other engine: a network just added to `internal` was reachable again. Every reload was
// followed by publishing, whatever its result, since 2026.48.0; and so was a start with the policy accepted last.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { policyFolder } from '../support/policy-engine.ts'
import { until } from '../support/until.ts'

const policyWith = (network: string, more = '') => `[gateway]\ninternal = ["${network}"]\n${more}`

describe('two engines with one folder', { timeout: 60_000 }, () => {
  test('one that keeps its policy leaves what the other has published', async (t) => {
    const place = policyFolder(t, policyWith('10.1.0.0/16'))
    const published = () => readFileSync(join(place.folder, 'published/proxy/internal'), 'utf8')
    const engine = await place.start()
    const config = join(place.folder, 'second.toml')
    const state = `[state]\nurl = "sqlite:///${place.folder}/second.db"\nkey_file = "${place.folder}/second.key"\n`
    const reader = `${state}[certificates]\nrole = "reader"\n`
    const secondWith = (network: string) => writeFileSync(config, policyWith(network, reader))
    secondWith('10.1.0.0/16')
    const second = await place.start('--config', config)

    secondWith('10.2.0.0/16')
    await second.administer('reload')
    await until(() => published() === '10.2.0.0/16\n')
    writeFileSync(place.config, policyWith('10.2.0.0/99'))
    assert.equal((await engine.administer('reload')).result, 'kept')
    await engine.stop()
    assert.equal(published(), '10.2.0.0/16\n')

    const restarted = await place.start()
    assert.ok(restarted.lines().some(({ msg }) => String(msg).startsWith('policy kept')))
    assert.equal(published(), '10.2.0.0/16\n')

    // The control: a policy that is loaded.
    writeFileSync(place.config, policyWith('10.3.0.0/16'))
    await restarted.administer('reload')
    await until(() => published() === '10.3.0.0/16\n')
  })
})
