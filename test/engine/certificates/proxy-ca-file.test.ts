// The file of the proxy's CA: its group and mode, unprivileged engines, and what others leave in its folder.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { chmod, chown, lstat, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { writeFileAtomically } from '../../../src/engine/files/atomic-file.ts'
import { ensureProxyFolder } from '../../../src/engine/files/folders.ts'
import { skipUnless } from '../../support/requirement.ts'
import { startPublishing } from '../publishing.ts'

const OTHER_GROUP = 54_321
const ENGINE_USER = 54_322
const skipWithoutRoot = skipUnless(process.geteuid?.() === 0, 'needs root, to change owners and groups')

async function start(t: TestContext) {
  const publishing = await startPublishing(t)
  await publishing.publish()
  const file = publishing.path('bump/ca.pem')
  return {
    ...publishing,
    file,
    /** What a proxy needs: a file of the engine's, mode 0640, with a matching pair from the root. */
    async assertPublished(group = process.getegid?.()) {
      const { mode, gid, uid } = await lstat(file)
      assert.deepEqual({ mode: mode.toString(8), gid, uid }, { mode: '100640', gid: group, uid: process.geteuid?.() })
      const text = await readFile(file, 'utf8')
      const certificate = new X509Certificate(text)
      assert.ok(certificate.checkPrivateKey(createPrivateKey(text)))
      assert.ok(certificate.verify(new X509Certificate(await publishing.read('ca/ca.crt')).publicKey))
      return text
    },
  }
}

test('what others put in its place is replaced, and neither followed nor waited for', {
  timeout: 20_000,
}, async (t) => {
  const { path, file, read, publishProxyCa, assertPublished } = await start(t)
  const elsewhere = path('elsewhere')
  await writeFile(elsewhere, 'unchanged')
  const text = await read('bump/ca.pem')
  const otherRoot = await startPublishing(t)
  await otherRoot.publish()
  const [key = '', certificate = ''] = text.split(/(?=-----BEGIN CERTIFICATE)/)
  const faults: Record<string, () => Promise<unknown>> = {
    'a link': () => symlink(elsewhere, file),
    'a link to the file of the root’s key': () => symlink(path('engine/ca.key'), file),
    'a dangling link': () => symlink(path('nowhere'), file),
    'a pipe': async () => execFileSync('mkfifo', [file]),
    'half a file': () => writeFile(file, text.slice(0, text.length / 2)),
    'half the key': () => writeFile(file, key.slice(0, 60) + certificate),
    'only the certificate': () => writeFile(file, certificate),
    'the key of another certificate': async () => writeFile(file, (await read('terminator/portal.key')) + certificate),
    'the CA of another root': async () => writeFile(file, await otherRoot.read('bump/ca.pem')),
    'a leaf': async () => writeFile(file, await read('control/control.pem')),
    'an endless file': () => writeFile(file, 'x'.repeat(100_000)),
  }
  for (const [name, place] of Object.entries(faults)) {
    await rm(file)
    await place()
    assert.equal((await publishProxyCa()).problem, undefined, name)
    await assertPublished()
  }
  assert.equal(await readFile(elsewhere, 'utf8'), 'unchanged')
  assert.match(await read('engine/ca.key'), /BEGIN PRIVATE KEY/)
})

test('a usable file behind a link, with another mode or owner is rewritten as it is', async (t) => {
  const { path, file, publishProxyCa, assertPublished } = await start(t)
  const text = await assertPublished()
  const faults = [
    () => chmod(file, 0o644),
    () => chmod(file, 0o600),
    async () => {
      await writeFile(path('copy'), text)
      await rm(file)
      await symlink(path('copy'), file)
    },
    ...(skipWithoutRoot ? [] : [() => chown(file, ENGINE_USER, OTHER_GROUP)]),
  ]
  for (const fault of faults) {
    await fault()
    assert.deepEqual(await publishProxyCa(), { isRenewed: false, problem: undefined })
    assert.equal(await assertPublished(), text)
  }
})

test('where the folder or the file cannot be used, that is reported and everything else is published', async (t) => {
  const { path, file, read, publishProxyCa } = await start(t)
  await rm(file)
  await mkdir(file)
  assert.match((await publishProxyCa()).problem ?? '', /^cannot publish \S+bump\/ca\.pem: E/)
  await rm(path('bump'), { recursive: true })
  await mkdir(path('elsewhere'))
  await symlink(path('elsewhere'), path('bump'))
  await rm(path('terminator/portal.crt'))
  assert.match((await publishProxyCa()).problem ?? '', /bump is not a folder$/)
  assert.deepEqual(await readdir(path('elsewhere')), [])
  assert.match(await read('terminator/portal.crt'), /BEGIN CERTIFICATE/)
})

test('the folder gets the group gateway-bump where the system has it, and the file follows', {
  skip: skipWithoutRoot,
}, async (t) => {
  const { path, publishProxyCa, assertPublished } = await start(t)
  const groups = path('group')
  await writeFile(groups, `root:x:0:\nnot-gateway-bump:x:1:\ngateway-bump-2:x:2:\n`)
  const own = process.getegid?.()
  assert.deepEqual(await ensureProxyFolder(path('bump'), 0o750, groups), { group: own, problem: undefined })
  assert.equal((await stat(path('bump'))).mode & 0o7777, 0o700, 'the engine’s group may be that of the terminator')
  await writeFile(groups, `root:x:0:\ngateway-bump:x:${OTHER_GROUP}:squid,proxy\n`)
  assert.deepEqual(await ensureProxyFolder(path('bump'), 0o750, groups), { group: OTHER_GROUP, problem: undefined })
  const { mode, gid } = await stat(path('bump'))
  assert.deepEqual([mode & 0o7777, gid], [0o750, OTHER_GROUP])
  assert.equal((await publishProxyCa()).isRenewed, false)
  await assertPublished(OTHER_GROUP)
  // With the setgid bit it keeps the group that its administrator chose.
  await chmod(path('bump'), 0o2750)
  await writeFile(groups, 'gateway-bump:x:7:\n')
  assert.deepEqual(await ensureProxyFolder(path('bump'), 0o750, groups), { group: OTHER_GROUP, problem: undefined })
  await rm(path('bump/ca.pem'))
  await publishProxyCa()
  await assertPublished(OTHER_GROUP)
})

test('an unprivileged engine sets the group as its member, inherits it, or explains what to do', {
  skip: skipWithoutRoot,
}, async (t) => {
  const { folder, path } = await startPublishing(t)
  const groups = path('group')
  await writeFile(groups, `gateway-bump:x:${OTHER_GROUP}:\n`)
  await chmod(folder, 0o755)
  const ensureAs = async (supplementary: readonly number[], name: string) => {
    const before = process.getgroups?.() ?? []
    process.setgroups?.(supplementary)
    process.setegid?.(ENGINE_USER)
    process.seteuid?.(ENGINE_USER)
    try {
      const ensured = await ensureProxyFolder(path(name), 0o750, groups)
      await writeFileAtomically(path(`${name}/ca.pem`), 'text', 0o640, ensured.group)
      return { ...ensured, group: (await stat(path(`${name}/ca.pem`))).gid }
    } finally {
      process.seteuid?.(0)
      process.setegid?.(0)
      process.setgroups?.(before)
    }
  }
  for (const [name, group, mode] of [
    ['member', ENGINE_USER, 0o755],
    ['stranger', ENGINE_USER, 0o755],
    ['inherited', OTHER_GROUP, 0o2750],
  ] as const) {
    await mkdir(path(name))
    await chown(path(name), ENGINE_USER, group)
    await chmod(path(name), mode)
  }
  assert.deepEqual(await ensureAs([OTHER_GROUP], 'member'), { group: OTHER_GROUP, problem: undefined })
  assert.deepEqual(await ensureAs([], 'inherited'), { group: OTHER_GROUP, problem: undefined })
  const { group, problem } = await ensureAs([], 'stranger')
  assert.equal(group, ENGINE_USER)
  assert.match(problem ?? '', /^cannot give \S+stranger to the group gateway-bump \(EPERM\), .*install -d -m 2750/)
})
