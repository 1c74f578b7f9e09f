// The section [alarms]: what it may hold, for the engine too, and that nothing else in the file keeps it from being read.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { readSection } from '../../../src/gatewayctl/alarms/section.ts'
import { alarms } from '../../../src/settings/sections/alarms.ts'
import { loadSettings, NO_OPTIONS, policy } from '../../engine/running-engine.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const MAIL =
  'to = ["it@school.example"]\nsmtp = "smtps://gateway%40school.example@mail.school.example"\npassword_file = "p"\n'

test('servers, with the standard ports', () => {
  const server = (smtp: string) => alarms.safeParse({ to: ['a@b.example'], smtp, password_file: 'x' }).data?.smtp
  assert.deepEqual(server('smtps://a@Mail.example'), {
    ...{ host: 'mail.example', port: 465, isTls: true, isLoopback: false, user: 'a' },
  })
  assert.equal(server('smtp://a@mail.example')?.port, 587)
  assert.equal(server('smtp://it%40school.example@mail.example:2525')?.user, 'it@school.example')
  const local = alarms.parse({ to: ['a@b.example'], smtp: 'smtp://localhost' })
  assert.deepEqual([local.smtp?.port, local.smtp?.isLoopback, local.disk_percent], [25, true, 90])
  assert.equal(alarms.parse({ to: ['a@b.example'], smtp: 'smtp://[::1]:2525' }).smtp?.host, '::1')
})

describe('rejected', () => {
  const webhook = 'https://chat.example/x'
  for (const [name, section, key] of [
    ['nothing to send to', {}, 'webhook'],
    ['addresses without a server', { to: ['a@b.example'], webhook }, 'to'],
    ['a server without addresses', { smtp: 'smtp://x.example', webhook }, 'to'],
    ['two ways', { to: ['a@b.example'], smtp: 'smtp://x.example', sendmail: '/usr/sbin/sendmail' }, 'sendmail'],
    ['a password in the URL', { to: ['a@b.example'], smtp: 'smtp://a:b@x.example' }, 'smtp'],
    ['a path in the URL', { to: ['a@b.example'], smtp: 'smtp://x.example/y' }, 'smtp'],
    ['a user without a password', { to: ['a@b.example'], smtp: 'smtp://a@x.example' }, 'password_file'],
    ['a line break in an address', { to: ['a@b.example\r\nRCPT TO:<c@d.example>'], sendmail: '/x' }, 'to'],
    ['an option of sendmail as an address', { to: ['-oQ/tmp@b.example'], sendmail: '/x' }, 'to'],
    ['a name with an address', { to: ['IT <it@b.example>'], sendmail: '/x' }, 'to'],
    ['a webhook in plain http', { webhook: 'http://chat.example/x' }, 'webhook'],
    ['a webhook with a password', { webhook: 'https://a:b@chat.example/x' }, 'webhook'],
    ['a relative program', { to: ['a@b.example'], sendmail: 'sendmail' }, 'sendmail'],
    ['an unknown key', { webhook, colour: 'red' }, undefined],
  ] as const) {
    test(name, () => {
      const keys = alarms.safeParse(section).error?.issues.map(({ path: [first] }) => first)
      assert.ok(keys?.includes(key as never), `${keys}`)
    })
  }
})

test('the engine accepts it, puts its changes into force without a restart, and never shows a webhook', () => {
  const load = (section: string) => loadSettings({ ...NO_OPTIONS, config: '/x' }, () => Buffer.from(policy(section)))
  const { restartOnly } = load(`[alarms]\n${MAIL}`)
  assert.ok(!('alarms' in restartOnly))
  assert.throws(
    () => load('[alarms]\nwebhook = "http://chat.example/services/T0SECRET"\n'),
    (error: Error) => /alarms\.webhook must be an https URL/.test(error.message) && !error.message.includes('T0SECRET'),
  )
})

describe('read on its own', () => {
  for (const [name, text] of [
    ['a whole policy', policy(`[alarms]\n${MAIL}`)],
    ['problems elsewhere', `[control]\nlisten = 7\n[alarms]\n${MAIL}`],
    ['no TOML before and after it', `rules = [[[\nname = "x\n[alarms]\n${MAIL}[[rules]]\nname = "\n`],
    ['a file that was cut', `[alarms]\n${MAIL}[[rules]]\nname = "half`],
    [
      'not UTF-8 elsewhere',
      Buffer.concat([Buffer.from(`[alarms]\n${MAIL}[x]\na = "`), Buffer.from([0xff]), Buffer.from('"\n')]),
    ],
  ] as const) {
    test(name, async (t) => {
      const path = join(temporaryFolder(t), 'policy.toml')
      writeFileSync(path, text)
      const reading = await readSection(path)
      assert.ok('settings' in reading, JSON.stringify(reading))
      assert.deepEqual(reading.settings.to, ['it@school.example'])
    })
  }
  for (const [name, text, problem] of [
    ['without the section', '[control]\n', /must have a section \[alarms\]/],
    ['damaged itself', '[alarms]\nto = "\n', /policy\.toml must be TOML; it is now|must be TOML; line/],
    ['with a problem', '[x]\n[alarms]\nto = []\n', /policy\.toml:3: alarms\.to must name an address/],
    ['empty', '', /must not be empty/],
  ] as const) {
    test(`rejected: ${name}`, async (t) => {
      const path = join(temporaryFolder(t), 'policy.toml')
      writeFileSync(path, text)
      const reading = await readSection(path)
      assert.ok('problems' in reading)
      assert.match(reading.problems.join('\n'), problem)
    })
  }
  test('rejected: missing, or a device without an end', async () => {
    for (const path of ['/nowhere/policy.toml', '/dev/zero']) assert.ok('problems' in (await readSection(path)))
  })
})
