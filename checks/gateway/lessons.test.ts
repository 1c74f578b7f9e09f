// A school's hours through Squid: an exam in one room, what opens there all the same, and a lesson with a code.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { gatewayctl } from '../../test/gatewayctl/gatewayctl.ts'
import { skipWithoutGateway, startGateway } from '../../test/proxy/proxy.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'
import { rule } from '../../test/support/rules.ts'
import { until } from '../../test/support/until.ts'

if (!skipWithoutGateway) continueInNetworkNamespace(import.meta.filename)

const [IN_12, ALSO_IN_12, IN_13] = ['127.0.12.5', '127.0.12.6', '127.0.13.5']
const HOSTS = ['dictionary.example', 'games.example', 'news.example', 'wiki.example']

describe('exam and lesson', { skip: skipWithoutGateway, timeout: 120_000 }, async () => {
  const { request, engine } = await startGateway(
    { after },
    {
      sites: { names: [...HOSTS, 'video.example'] },
      policy: [
        '[rooms]\n12 = ["127.0.12.0/24"]\n13 = ["127.0.13.0/24"]\n',
        rule('dictionary', 'allow', 'match = ["dictionary.example"]'),
        rule('exam', 'block', 'switch = "exam"'),
        rule('games', 'block', 'match = ["games.example"]'),
        rule('videos', 'warn', 'match = ["video.example"]', 'override = { type = "pin", length = 6 }'),
      ].join(''),
      published: 'engine',
      settings: { PROXY_CLIENTS: '127.0.0.0/8' },
    },
  )
  const env = { GATEWAY_CAPTIVE_CA_PATH: join(engine.published, 'ca', 'ca.crt') }
  const connection = ['--engine', engine.url, '--token-file', engine.portalVariables.ENGINE_API_TOKEN_FILE]
  async function administer(...words: readonly string[]) {
    const { status, stdout, stderr } = await gatewayctl(['engine', ...words, '--json', ...connection], { env })
    assert.equal(status, 0, stderr)
    return JSON.parse(stdout)
  }
  const by = ['--by', 'Ms Rossi']
  /** The hosts that are open, by http and by https. */
  async function openFrom(from: string): Promise<readonly string[]> {
    const open: string[] = []
    for (const host of HOSTS) {
      const statuses = []
      for (const scheme of ['http', 'https']) statuses.push((await request(`${scheme}://${host}/`, { from })).status)
      assert.ok([200, 302].includes(Number(statuses[0])) && statuses[0] === statuses[1], `${host}: ${statuses}`)
      if (statuses[0] === 200) open.push(host)
    }
    return open.map((host) => host.replace('.example', ''))
  }

  test('an exam in one room: nothing else opens there but what is permitted despite it', async () => {
    await administer('allow', 'games.example', '--for', '2h', '--room', '12', ...by)
    assert.deepEqual(await openFrom(IN_12), ['dictionary', 'games', 'news', 'wiki'])
    assert.deepEqual(await openFrom(IN_13), ['dictionary', 'news', 'wiki'])

    await administer('switch', 'on', 'exam', '--room', '12', '--for', '2h', ...by)
    assert.deepEqual(await openFrom(IN_12), ['dictionary'], 'also what was permitted before')
    assert.deepEqual(await openFrom(IN_13), ['dictionary', 'news', 'wiki'])

    await administer('allow', 'news.example', '--for', '2h', '--room', '12', ...by)
    await administer('allow', 'games.example', '--for', '2h', '--room', '13', '--despite', 'exam', ...by)
    assert.deepEqual(await openFrom(IN_12), ['dictionary'])
    await administer('allow', 'games.example', '--for', '2h', '--client', IN_12, '--despite', 'exam', ...by)
    assert.deepEqual(await openFrom(IN_12), ['dictionary', 'games'])
    assert.deepEqual(await openFrom(ALSO_IN_12), ['dictionary'])
    assert.deepEqual(await openFrom(IN_13), ['dictionary', 'games', 'news', 'wiki'])

    await administer('switch', 'off', 'exam', '--room', '12')
    assert.deepEqual(await openFrom(ALSO_IN_12), ['dictionary', 'games', 'news', 'wiki'])
  })

  test('an exam and its permissions survive a restart of the engine', async () => {
    await administer('switch', 'on', 'exam', '--room', '12', '--for', '2h', ...by)
    await engine.kill('SIGKILL')
    await engine.restart()
    assert.deepEqual(await openFrom(IN_12), ['dictionary', 'games'])
    assert.deepEqual(await openFrom(ALSO_IN_12), ['dictionary'])
    await administer('switch', 'off', 'exam', '--all')
  })

  test('a lesson code opens its rule for who enters it, until it ends', async () => {
    const VIDEO = 'https://video.example/'
    const status = async (from: string) => (await request(VIDEO, { from })).status
    const enter = async (code: string) => {
      const { headers } = await request(VIDEO, { from: IN_12 })
      const { search } = new URL(String(headers.location))
      const sent = { 'x-override-code': code }
      return (await engine.request('GET', `/api/captive/ack${search}`, undefined, sent)).status
    }
    assert.equal(await enter('000000'), 403)
    const outcomes = () => engine.log().flatMap(({ outcome }) => outcome ?? [])
    await until(() => outcomes().length === 1)
    assert.deepEqual(outcomes(), ['refused'], 'without any code the page is terminal')
    const { code, id, expires_at: ends } = await administer('code', 'new', '--rule', 'videos', '--for', '10m', ...by)
    assert.match(code, /^[0-9]{6}$/)
    assert.equal(await enter(code === '000000' ? '000001' : '000000'), 403)
    assert.equal(await status(IN_12), 302)
    assert.equal(await enter(code), 302)
    assert.deepEqual([await status(IN_12), await status(ALSO_IN_12), await status(IN_13)], [200, 302, 302])
    const { sessions } = await administer('sessions', 'list', '--rule', 'videos')
    assert.deepEqual(
      sessions.map(({ client, expires_at: at }: { client: string; expires_at: string }) => [client, at <= ends]),
      [[IN_12, true]],
    )

    await administer('switch', 'on', 'exam', '--everyone', '--for', '10m', ...by)
    assert.equal(await status(IN_12), 302, 'an exam stops it, too')
    await administer('switch', 'off', 'exam', '--everyone')
    assert.equal(await status(IN_12), 200)
    await administer('code', 'end', id)
    assert.equal(await status(IN_12), 302)
  })
})
