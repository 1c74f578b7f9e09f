// The sources and licences of packages, and their description in a release.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import packageJson from '#package' with { type: 'json' }
import { billOfMaterials } from '../../scripts/bill-of-materials.ts'
import { checkSignatures } from '../../scripts/package-signatures.ts'
import { lockedPackages, packageName, runTimePackages } from '../../scripts/run-time-packages.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { '': own, ...locked } = lockedPackages
const runTime = runTimePackages()
/** Licences that require only attribution. */
const ALLOWED = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0', 'PSF-2.0']

describe('the lockfile', () => {
  test('names each package by its digest, and no source but the registry', () => {
    assert.ok(own !== undefined && Object.keys(locked).length > 200)
    for (const [path, found] of Object.entries(locked)) {
      // npm writes `resolved` for every source but the registry, as .npmrc has it.
      const { integrity, resolved, link, inBundle } = found as unknown as Record<string, unknown>
      assert.match(String(integrity), /^sha512-[A-Za-z0-9+/]{86}==$/, path)
      assert.deepEqual([resolved, link, inBundle], [undefined, undefined, undefined], path)
    }
  })

  test('matches exact versions, and no package runs an install script', () => {
    const { dependencies, devDependencies, optionalDependencies } = packageJson
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
      assert.match(version, /^\d+\.\d+\.\d+(-[a-z0-9.]+)?$/, name)
      assert.equal(locked[`node_modules/${name}`]?.version, version, name)
    }
    const npmrc = readFileSync(join(root, '.npmrc'), 'utf8').split('\n')
    assert.ok(npmrc.includes('ignore-scripts=true') && npmrc.includes('omit-lockfile-registry-resolved=true'))
    assert.ok(!npmrc.some((line) => /registry=http/.test(line)))
  })
})

test('each run-time dependency has an allowed licence, also in its own package.json', (t) => {
  const byLicence = Map.groupBy(runTime, (path) => lockedPackages[path]?.license ?? 'none')
  for (const [licence, paths] of [...byLicence].toSorted()) {
    const names = paths.map(packageName).toSorted()
    t.diagnostic(`${licence}: ${names.join(', ')}`)
    assert.ok(ALLOWED.includes(licence), `${licence}, of ${names}`)
    for (const path of paths) {
      const file = join(root, path, 'package.json')
      if (existsSync(file)) assert.equal(JSON.parse(readFileSync(file, 'utf8')).license, licence, path)
    }
  }
  assert.ok(runTime.length > 40)
})

test('the bill of materials lists all run-time packages with digest, licence and dependents, reproducibly', () => {
  const text = billOfMaterials('26.0.0')
  assert.equal(billOfMaterials('26.0.0'), text)
  const bill = JSON.parse(text)
  assert.deepEqual([bill.bomFormat, bill.specVersion], ['CycloneDX', '1.6'])
  assert.match(bill.serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  const [node, ...packages] = bill.components
  assert.equal(node.purl, 'pkg:generic/node@26.0.0')
  const names = packages.map(({ name }: { name: string }) => name)
  assert.deepEqual(names, runTime.toSorted().map(packageName))
  // Packages that `npm sbom --omit=dev` omits.
  for (const name of ['pg', 'pg-pool', 'zod', 'kysely']) assert.ok(names.includes(name), name)
  for (const name of Object.keys(packageJson.dependencies)) assert.ok(names.includes(name), name)
  for (const name of Object.keys(packageJson.devDependencies)) assert.ok(!names.includes(name), name)
  const pg = packages.find(({ name }: { name: string }) => name === 'pg')
  assert.equal(pg.hashes[0].content, Buffer.from(digestOf('pg'), 'base64').toString('hex'))
  assert.deepEqual(pg.licenses, [{ expression: 'MIT' }])

  const references = new Set([bill.metadata.component, ...bill.components].map((one) => one['bom-ref']))
  const reached = new Set([bill.metadata.component['bom-ref']])
  for (const { ref, dependsOn } of bill.dependencies) {
    assert.ok(references.has(ref))
    for (const one of dependsOn) reached.add(one)
  }
  assert.deepEqual([...reached].toSorted(), [...references].toSorted())
})

describe('signatures of packages', () => {
  for (const [said, status, expected] of [
    ['{"invalid":[],"missing":[]}', 0, { kind: 'verified' }],
    [
      '{"invalid":[{"name":"pg","version":"1.0.0"}],"missing":[{"name":"zod","version":"2.0.0"}]}',
      1,
      { kind: 'wrong', packages: ['pg@1.0.0', 'zod@2.0.0'] },
    ],
    [
      '{"error":{"code":null,"summary":"found no dependencies to audit\\nmore"}}',
      1,
      { kind: 'unknown', reason: 'found no dependencies to audit' },
    ],
    ['', 1, { kind: 'unknown', reason: 'unexpected output of npm' }],
  ] as const) {
    test(`npm says ${JSON.stringify(said)}`, (t) => {
      const folder = temporaryFolder(t)
      writeFileSync(join(folder, 'npm'), `#!/bin/sh\ncat <<'END'\n${said}\nEND\nexit ${status}\n`)
      chmodSync(join(folder, 'npm'), 0o755)
      const { PATH } = process.env
      t.after(() => {
        process.env.PATH = PATH
      })
      process.env.PATH = `${folder}:${PATH}`
      assert.deepEqual(checkSignatures(root), expected)
      process.env.PATH = folder.slice(0, -1)
      assert.equal(checkSignatures(root).kind, 'unknown', 'no npm')
    })
  }
})

function digestOf(name: string): string {
  return lockedPackages[`node_modules/${name}`]?.integrity.slice('sha512-'.length) ?? ''
}
