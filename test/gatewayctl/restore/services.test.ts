// What a restore says about services that were started: only with all of them, and with TLS at the terminator, it is online.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import { type MadeCertificate, makeServed } from '../../support/certificates.ts'
import { inReverse } from '../../support/cleanup.ts'
import { freePort } from '../../support/free-port.ts'
import { listen } from '../../support/listen.ts'
import { skipWithoutOpenssl } from '../../support/requirement.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { createArchive, createKey, manifest, skipWithoutAge } from './backup.ts'
import { createMachine, ENGINE, type Reported } from './machine.ts'

const TERMINATOR = 'gateway-terminator.service'
const skip = skipWithoutAge || skipWithoutOpenssl

describe('after the start', { skip }, () => {
  const key = skip ? { file: '', recipient: '' } : createKey(inReverse({ after }))
  const [served, other] = skip ? [] : [makeServed('localhost'), makeServed('localhost')]

  const serve = (t: TestContext, leaf: MadeCertificate | undefined) =>
    listen(
      t,
      createServer({ cert: leaf?.certificate, key: leaf?.key }, (_, response) => response.end()),
    )

  /** A machine on which the CA is published. */
  const create = (t: TestContext, reported: Reported = {}) => {
    const published = join(temporaryFolder(t), 'ca.crt')
    writeFileSync(published, `${served?.ca.certificate}`)
    return createMachine(t, { ...reported, variables: { GATEWAY_CAPTIVE_CA_PATH: published } })
  }

  /** Of a machine with nothing but the terminator, which is to listen on this port. */
  function archive(t: TestContext, port: number, more: Readonly<Record<string, string>> = {}) {
    const files = {
      ...ENGINE,
      'gateway-backup': manifest({ enabled: `${TERMINATOR} gateway-engine-backup.timer` }),
      'etc/gateway/.env': `GATEWAY_CAPTIVE_HOSTNAME=localhost\nGATEWAY_CAPTIVE_HTTPS_PORT=${port}\n`,
      ...more,
    }
    return createArchive(t, key, 'engine', { files })
  }

  test('a service that is not active fails, and the message says where to look', async (t) => {
    const file = archive(t, await serve(t, served?.leaf))
    const ended = await create(t, { running: [] }).run([file], key.file)
    assert.equal(ended.exitCode, 1, ended.stdout)
    assert.doesNotMatch(ended.stdout, /online/)
    assert.match(
      ended.stdout,
      /^service +failing +gateway-terminator\.service is not active\n.*journalctl -u gateway-terminator$/m,
    )
  })

  test('an active terminator fails without a listener, and with a certificate that devices do not trust', async (t) => {
    for (const port of [await freePort(), await serve(t, other?.leaf)]) {
      const ended = await create(t).run([archive(t, port)], key.file)
      assert.equal(ended.exitCode, 1, ended.stdout)
      assert.match(
        ended.stdout,
        /^terminator( tls)? +failing .*(ECONNREFUSED|UNABLE_TO|SELF_SIGNED|unable to|self.signed)/im,
      )
      assert.match(ended.stdout, /^services +ok /m)
    }
  })

  test('control: with both it is online; also at the address of TERMINATOR_HTTPS', async (t) => {
    const port = await serve(t, served?.leaf)
    const own = { 'etc/gateway/terminator.env': `TERMINATOR_HTTPS=127.0.0.1:${port} 8443\n` }
    for (const file of [archive(t, port), archive(t, await freePort(), own)]) {
      const ended = await create(t).run([file], key.file)
      assert.equal(ended.exitCode, 0, ended.stdout)
      assert.match(ended.stdout, /^services +ok +gateway-terminator\.service$/m)
      assert.match(ended.stdout, /^terminator tls +ok +trusted: localhost/m)
      assert.match(ended.stdout, /^The gateway is online\.$/m)
    }
  })

  test('it waits for a service that is still starting', async (t) => {
    const file = archive(t, await serve(t, served?.leaf))
    const late = { isLate: true, running: [TERMINATOR] } as const
    const ended = await create(t, { ...late, startMs: 30_000 }).run([file], key.file)
    assert.equal(ended.exitCode, 0, ended.stdout)
    assert.equal((await create(t, late).run([file], key.file)).exitCode, 1, 'control: it was late')
  })
})
