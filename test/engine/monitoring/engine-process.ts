// The engine's own process with the permissions of a deployment, its operations listener, and the lines that it logs.
import assert from 'node:assert/strict'
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type Cleanup, inReverse } from '../../support/cleanup.ts'
import { COMPILE_CACHE } from '../../support/compile-cache.ts'
import { nodeFlags } from '../../support/node-flags.ts'
import { SECRET } from '../../support/payloads.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

export const TOKEN = 'zqtoken-0123456789-abcdefghij'
export const CLIENT = '198.51.100.7'

export interface Response {
  readonly status: number
  readonly body: string
  readonly location: string | undefined
}

interface Decided {
  readonly verdict?: string
  readonly reference?: string
  readonly redirect?: string
  /** Of a problem. */
  readonly status?: number
}

const MAIN = 'src/engine/main.ts'

export interface StartOptions {
  /** Of the `[ops]` section. */
  readonly ops?: string
  /** Variables of its environment. */
  readonly variables?: Readonly<Record<string, string>>
  /** Further files next to the policy's, by name. */
  readonly files?: Readonly<Record<string, string>>
  /** Nothing reads what the engine logs after it listens, until `resume` is called. */
  readonly unread?: boolean
  /** The engine's program; by default its source. */
  readonly program?: string
}

export type EngineProcess = Awaited<ReturnType<typeof startEngine>>

/** @param rules and further sections of the policy; keys of the top level first */
export async function startEngine(t: Cleanup, rules: string, options: StartOptions = {}) {
  const { ops = 'listen = "127.0.0.1:0"', files = {}, variables = {}, unread = false, program = MAIN } = options
  const cleanup = inReverse(t)
  const folder = temporaryFolder(cleanup)
  const [policies, published] = [join(folder, 'policy'), join(folder, 'published')]
  const config = join(policies, 'p.toml')
  const writePolicy = (content: string) => {
    const portal = `[captive_portal]\nsecret = "${SECRET}"\nbase_url = "https://portal.example"`
    const control = `[control]\napi_token = "${TOKEN}"\nlisten = "127.0.0.1:0"`
    const folders = `[certificates]\nfolder = "${published}"`
    writeFileSync(config, [content, portal, control, folders, `[ops]\n${ops}\n`].join('\n').replace(/^\n/, ''))
  }
  for (const name of [policies, published]) mkdirSync(name)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(policies, name), content)
  writePolicy(rules)
  // A bundle starts as in its image.
  const env = program === MAIN ? COMPILE_CACHE : {}
  const cache = Object.values(env)
  const flags = nodeFlags({ read: [folder, dirname(program), ...cache], write: [published, ...cache] })
  const log = openPipe(join(folder, 'log'))
  const child = spawn(process.execPath, [...flags, program, '--config', config], {
    env: { ...env, ...variables },
    stdio: ['ignore', log.writer, 'pipe'],
  }) as ChildProcessByStdio<null, null, Readable>
  closeSync(log.writer)
  const ended = once(child, 'close').then(([status]) => status as number | null)
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  cleanup.after(async () => {
    agent.destroy()
    child.kill('SIGKILL')
    await ended
    log.reader.destroy()
  })
  const lines: Readonly<Record<string, unknown>>[] = []
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const seen = Promise.withResolvers<void>()
  let control: string | undefined
  let operations: string | undefined
  createInterface(log.reader).on('line', (line) => {
    const json = JSON.parse(line)
    lines.push(json)
    control = /^listening on (https:.*)$/.exec(json.msg)?.[1] ?? control
    operations = /^operations listener on (http:.*)$/.exec(json.msg)?.[1] ?? operations
    if (control !== undefined) seen.resolve()
  })
  ended.then(() => seen.reject(new Error(`the engine ended: ${errors}${JSON.stringify(lines)}`)))
  seen.promise.catch(() => {})
  const listening = () => seen.promise
  if (unread) {
    await listening()
    log.reader.pause()
  }

  const ca = () => readFileSync(join(published, 'ca/ca.crt'))
  async function ask(method: string, path: string, headers: Readonly<Record<string, string>> = {}, body = '') {
    await listening()
    const sent = request(new URL(path, control), {
      ...{ method, agent, ca: ca() },
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
    })
    sent.end(body)
    const [response] = await once(sent, 'response')
    return { status: response.statusCode, body: await text(response), location: response.headers.location } as Response
  }
  return {
    ...{ child, ended, lines, listening, ask, writePolicy, published },
    /** The events of the audit log. */
    events: () => lines.filter(({ event }) => event !== undefined),
    /** Reads the lines that nobody has read so far. */
    resume: () => void log.reader.resume(),
    write: (name: string, content: string) => writeFileSync(join(policies, name), content),
    /** The decision, or the problem. */
    async decide(url: string, more: object = {}): Promise<Decided> {
      const { body } = await ask('POST', '/api/decision', {}, JSON.stringify({ url, client: CLIENT, ...more }))
      return JSON.parse(body)
    },
    acknowledge: (redirect: string | undefined, code?: string) =>
      ask('GET', `/api/captive/ack${new URL(String(redirect)).search}`, {
        ...(code !== undefined && { 'x-override-code': encodeURIComponent(code) }),
      }),
    administer: (call: string, body: object) => ask('POST', `/api/admin/${call}`, {}, JSON.stringify(body)),
    async operations(path: string): Promise<{ readonly status: number; readonly body: string }> {
      const response = await fetch(new URL(path, operations))
      return { status: response.status, body: await response.text() }
    },
    /** The values of a metric by its labels, as they are written; `''` without labels. */
    async metric(name: string): Promise<ReadonlyMap<string, number>> {
      const response = await fetch(new URL('/metrics', operations))
      const found = (await response.text()).matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))
      return new Map(Array.from(found, ([, labels = '', value]) => [labels, Number(value)]))
    },
  }
}

/** A pipe like that to a log's reader, of 64 KiB: Node connects its children by sockets, which hold more. */
function openPipe(path: string) {
  assert.equal(spawnSync('mkfifo', [path]).status, 0)
  // In this order: a pipe without a reader cannot be opened for writing.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return { reader: new Socket({ fd, readable: true }), writer: openSync(path, 'w') }
}
