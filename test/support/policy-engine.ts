// The engine's process with a policy file that a test changes. Options give all other settings, as deployments do: so even an
// empty file could be a policy.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import type { Cleanup } from './cleanup.ts'
import { COMPILE_CACHE } from './compile-cache.ts'
import { SECRET } from './payloads.ts'
import { until } from './until.ts'

export interface PolicyEngine {
  /** Its log so far. */
  lines(): readonly Record<string, unknown>[]
  /** `allow`, `block`, … */
  verdict(host: string): Promise<unknown>
  /** An administration call. */
  administer(call: string, body?: object): Promise<Record<string, unknown>>
  /** Ends it with SIGTERM. */
  stop(): Promise<void>
}

export interface PolicyFolder {
  readonly folder: string
  /** The policy's file. */
  readonly config: string
  /** The copy of the one accepted last. */
  readonly copy: string
  /** Resolves when the engine listens. @throws {Error} when it does not */
  start(...options: readonly string[]): Promise<PolicyEngine>
  /** Runs it until it ends. */
  run(
    ...options: readonly string[]
  ): Promise<{ readonly status: number; readonly stdout: string; readonly stderr: string }>
}

const MAIN = 'src/engine/main.ts'

/** @param policy the content of the policy's file at first */
export function policyFolder(t: Cleanup, policy: string): PolicyFolder {
  const folder = mkdtempSync(join(tmpdir(), 'policy-engine-'))
  const closing: (() => Promise<unknown>)[] = []
  t.after(async () => {
    // They write into it.
    for (const close of closing) await close()
    rmSync(folder, { recursive: true })
  })
  const [config, secret, published] = ['policy.toml', 'secret', 'published'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(config, policy)
  writeFileSync(secret, SECRET)
  const spawnEngine = (options: readonly string[]) => {
    const given = ['--secret-file', secret, '--api-token-file', secret, '--base-url', 'https://portal.example']
    const addresses = ['--listen', '127.0.0.1:0', '--ops', '']
    const words = [MAIN, '--config', config, '--publish', published, ...given, ...addresses, ...options]
    const child = spawn(process.execPath, words, { env: COMPILE_CACHE, stdio: ['ignore', 'pipe', 'pipe'] })
    const output = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (chunk) => (output[name] += chunk))
    const closed = once(child, 'close')
    closing.push(async () => {
      child.kill('SIGKILL')
      await closed
    })
    return { child, output, closed }
  }
  return {
    folder,
    config,
    copy: join(published, 'engine', 'accepted-policy.toml'),
    async run(...options) {
      const { output, closed } = spawnEngine(options)
      const [status] = await closed
      return { status, ...output }
    },
    async start(...options) {
      const { child, output, closed } = spawnEngine(options)
      const address = await until(() => {
        assert.equal(child.exitCode, null, `the engine ended: ${output.stdout}${output.stderr}`)
        return /listening on (https:[^"]+)/.exec(output.stdout)?.[1]
      }, 30)
      const agent = new Agent({ keepAlive: true, ca: readFileSync(join(published, 'ca', 'ca.crt')) })
      const call = async (path: string, body: object) => {
        const headers = { 'content-type': 'application/json', authorization: `Bearer ${SECRET}` }
        const sent = request(new URL(path, address), { agent, method: 'POST', headers })
        sent.end(JSON.stringify(body))
        const [response] = await once(sent, 'response')
        return (await json(response)) as Record<string, unknown>
      }
      return {
        lines: () => output.stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)])),
        verdict: async (host) =>
          (await call('/api/decision', { url: `http://${host}/`, client: '198.51.100.7' })).verdict,
        administer: (name, body = {}) => call(`/api/admin/${name}`, body),
        async stop() {
          agent.destroy()
          child.kill('SIGTERM')
          assert.deepEqual(await closed, [0, null], output.stderr)
        },
      }
    },
  }
}
