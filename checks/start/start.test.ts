// docs/start.md, pasted command by command. `npm run check -- start` builds the packages and the machine's root.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { commandBlocks } from '../../test/deploy/command-blocks.ts'
import { type Machine, startMachine } from '../packages/machine.ts'
import { acknowledge } from '../packages/visitor.ts'

const { PACKAGES_WORK = '', PACKAGES_BASE = '', PACKAGES_BUILT = '' } = process.env
const PAGE = 'docs/start.md'
const SITES = ['example.net', 'example.org', 'example.edu', 'example.com', 'www.debian.org']
const SITE = '203.0.113.10'
const NODE = '/usr/lib/gateway-portal/bin/node'

let machine: Machine
before(async () => {
  machine = await startMachine(PACKAGES_BASE, join(PACKAGES_WORK, 'machine'))
  machine.copyIn(...readdirSync(PACKAGES_BUILT).map((name) => join(PACKAGES_BUILT, name)))
  surround()
})
after(() => machine?.stop())

/** The internet around the machine: names, and a CA that everybody trusts. */
function surround(): void {
  const exempt = readFileSync(
    new URL('../../src/engine/proxy-settings/default-exemptions.txt', import.meta.url),
    'utf8',
  )
  const hosts = exempt.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const names = [...SITES, ...hosts].map((name) => `--address=/${name.replace(/^\*?\./, '')}/${SITE}`).join(' ')
  machine.run(`
    ip netns add internet
    ip link add outside type veth peer name inside netns internet
    ip address add 203.0.113.1/24 dev outside
    ip link set outside up
    ip -n internet address add ${SITE}/24 dev inside
    ip -n internet link set inside up
    rm -f /etc/resolv.conf
    echo 'nameserver 127.0.0.1' >/etc/resolv.conf
    dnsmasq --no-hosts --no-resolv --listen-address=127.0.0.1 --bind-interfaces --address=/#/ ${names}
    cd /root
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj '/CN=A public CA' -keyout public.key -out public.crt 2>/dev/null
    printf 'subjectAltName=%s\\n' '${SITES.map((name) => `DNS:${name}`).join()}' >names
    openssl req -newkey rsa:2048 -nodes -subj /CN=site -keyout site.key 2>/dev/null |
      openssl x509 -req -CA public.crt -CAkey public.key -CAcreateserial -days 2 -extfile names -out site.crt 2>/dev/null
    cp public.crt /usr/local/share/ca-certificates/public.crt
    update-ca-certificates >/dev/null 2>&1`)
  // On a desktop the browser has a window and a user: here it prints the page that it shows.
  const browser = [
    '#!/bin/sh',
    'exec /usr/bin/chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \\',
    '  --disable-background-networking --disable-component-update --disable-sync --disable-dev-shm-usage \\',
    '  --timeout=20000 --dump-dom "$@" 2>/dev/null',
  ]
  writeFileSync(machine.path('usr/local/bin/chromium'), `${browser.join('\n')}\n`, { mode: 0o755 })
}

/** The sites themselves, once the machine has a Node. */
function startSites(): void {
  const script = `
    const { createServer } = require('node:https')
    const { readFileSync } = require('node:fs')
    const [key, cert] = ['key', 'crt'].map((end) => readFileSync('/root/site.' + end))
    createServer({ key, cert }, (_, response) => response.end('<h1>The site itself</h1>')).listen(443, '${SITE}')`
  writeFileSync(machine.path('root/sites.cjs'), script)
  machine.run(`setsid ip netns exec internet ${NODE} /root/sites.cjs </dev/null >/dev/null 2>&1 &`)
}

/** What the guide promises of a block's output, by how the block begins. */
const PROMISES: readonly [RegExp, RegExp][] = [
  [/^systemctl enable --now/, /no problems; rules: 4, lists: 1, names: 2\n$/],
  [/^gatewayctl portal status/, /decrypts +ok/],
  [/^gatewayctl portal aup edit/, /aup\.md is live\.[\s\S]*aup\.de\.md is live\./],
  [/^gatewayctl portal ca/, /SHA-256/i],
  [/^gatewayctl portal acceptances/, /games/],
  [/^chromium /, /<h1[^>]*>[^<]*This page is blocked[\s\S]*Games are closed at school\./],
]

test('the guide has at most 1,200 words', () => {
  const words = readFileSync(new URL(`../../${PAGE}`, import.meta.url), 'utf8').split(/\s+/)
  assert.ok(words.length <= 1_200, `${words.length}`)
})

test('every command works in the order of the guide, and says what the guide promises', (t) => {
  const startedAt = performance.now()
  const blocks = commandBlocks(PAGE)
  assert.ok(blocks.length >= 10)
  const kept = new Set(PROMISES)
  for (const { text, reason } of blocks) {
    assert.equal(reason, undefined)
    if (/^gatewayctl portal status/.test(text)) startSites()
    // A new shell for each block, in a folder of its own: the administrator has had a break.
    const said = machine.run(`exec 2>&1\nmkdir -p /root/elsewhere\ncd /root/elsewhere\n${text}`)
    t.diagnostic(`${text}${said}`)
    for (const promise of PROMISES) {
      if (!promise[0].test(text)) continue
      assert.match(said, promise[1])
      kept.delete(promise)
    }
  }
  assert.deepEqual([...kept], [])
  assert.equal(machine.run('ls -A /root/elsewhere'), '')
  t.diagnostic(`minutes: ${((performance.now() - startedAt) / 60_000).toFixed(1)}`)
})

/** What Chromium shows on the device. */
const show = (url: string, language = 'en') =>
  machine.run(`cd; chromium --proxy-server=http://gateway.school.example:3128 --accept-lang=${language} '${url}'`)

test('the sites show what the guide says, in the language of the visitor', () => {
  const blocked = show('https://example.net/')
  const [, logo] = /<img [^>]*src="(\/logo\?[\w-]+)"/.exec(blocked) ?? assert.fail(blocked)
  const fetched = machine.run(`curl -sS --fail --cacert /root/ca.crt 'https://gateway.school.example${logo}'`)
  assert.match(fetched, /<svg/)
  assert.match(blocked, /Hillside School/)
  assert.match(show('https://example.net/', 'de'), /Spiele sind in der Schule gesperrt\./)
  assert.match(show('https://example.org/'), /Do you need this for your lesson\?[\s\S]*Proceed anyway/)
  assert.match(show('https://example.edu/'), /Teacher(?:'|&#39;)s PIN[\s\S]*<input/)
  assert.match(show('https://example.com/'), /Keep passwords to yourself\.[\s\S]*I acknowledge and continue/)
  assert.match(show('https://example.com/', 'de'), /Gib Passwörter nicht weiter\./)
  assert.match(show('https://www.debian.org/'), /The site itself/)
})

test('after acknowledging, the sites open, and the acceptance is recorded', () => {
  for (const url of ['https://example.org/', 'https://example.com/']) {
    acknowledge(machine, { proxy: 'http://gateway.school.example:3128', ca: '/root/ca.crt' }, url)
    assert.match(show(url), /The site itself/)
  }
  assert.equal(JSON.parse(machine.run('gatewayctl portal acceptances list --json')).total, 1)
})
