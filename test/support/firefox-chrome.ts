// The system's Firefox, headless, with access to its own user interface over Marionette, its remote protocol: for what pages
// cannot see, such as whether it offers to save a password. Playwright has no access to that.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { firefoxPath } from './requirement.ts'
import { until } from './until.ts'

type Send = (command: string, parameters?: object) => Promise<unknown>

/** @param wanted preferences; others are as Marionette sets them for tests */
export async function launchFirefoxChrome(wanted: Readonly<Record<string, string | number | boolean>>) {
  assert.ok(firefoxPath !== undefined)
  const profile = await mkdtemp(join(tmpdir(), 'firefox-'))
  const port = await freePort()
  const preferences = Object.entries({ ...wanted, 'marionette.port': port })
  const lines = preferences.map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
  await writeFile(join(profile, 'user.js'), lines.join(''))
  const options = ['--headless', '--no-remote', '--marionette', '--remote-allow-system-access', '--profile', profile]
  const child = spawn(firefoxPath, options, { stdio: 'ignore', env: { ...process.env, HOME: profile } })
  const socket = await connectTo(port).catch((error: unknown) => {
    child.kill('SIGKILL')
    throw error
  })
  const send = await openSession(socket)

  const find = async (selector: string) => {
    const found = (await send('WebDriver:FindElement', { using: 'css selector', value: selector })) as object
    return Object.values(Object.values(found)[0])[0]
  }
  return {
    goto: async (url: string) => void (await send('WebDriver:Navigate', { url })),
    click: async (selector: string) => void (await send('WebDriver:ElementClick', { id: await find(selector) })),
    /** Types into the element, key by key. */
    type: async (selector: string, text: string) => {
      await send('WebDriver:ElementSendKeys', { id: await find(selector), text })
    },
    url: async () => valueIn(await send('WebDriver:GetCurrentURL')) as string,
    inPage: async (script: string) => valueIn(await send('WebDriver:ExecuteScript', { script, args: [] })),
    /** Runs the script in the browser's own window. @returns what it returns, as JSON */
    async inChrome(script: string) {
      await send('Marionette:SetContext', { value: 'chrome' })
      const result = await send('WebDriver:ExecuteScript', { script, args: [] })
      await send('Marionette:SetContext', { value: 'content' })
      return valueIn(result)
    },
    async close() {
      socket.destroy()
      child.kill('SIGKILL')
      await once(child, 'close')
      await rm(profile, { recursive: true, force: true })
    },
  }
}

const valueIn = (result: unknown) => (result as { value: unknown }).value

async function connectTo(port: number): Promise<Socket> {
  return await until(async () => {
    const socket = connect(port, '127.0.0.1')
    return await once(socket, 'connect').then(
      () => socket,
      () => undefined,
    )
  }, 60)
}

/** Messages are JSON with their length and a colon in front; Firefox begins with one about itself. */
async function openSession(socket: Socket): Promise<Send> {
  let received: Buffer = Buffer.alloc(0)
  let arrived: (() => void) | undefined
  socket.on('data', (bytes: Buffer) => {
    received = Buffer.concat([received, bytes])
    arrived?.()
  })
  const next = async (): Promise<unknown> => {
    for (;;) {
      const colon = received.indexOf(':')
      const end = colon + 1 + Number(received.toString('latin1', 0, Math.max(colon, 0)))
      if (colon !== -1 && received.length >= end) {
        const message = received.subarray(colon + 1, end).toString()
        received = received.subarray(end)
        return JSON.parse(message)
      }
      await new Promise<void>((resolve) => {
        arrived = resolve
      })
    }
  }
  let id = 0
  const send: Send = async (command, parameters = {}) => {
    const message = JSON.stringify([0, ++id, command, parameters])
    socket.write(`${Buffer.byteLength(message)}:${message}`)
    const [, , error, result] = (await next()) as [number, number, unknown, unknown]
    assert.equal(error, null, command)
    return result
  }
  await next()
  await send('WebDriver:NewSession', { capabilities: { alwaysMatch: {} } })
  return send
}
