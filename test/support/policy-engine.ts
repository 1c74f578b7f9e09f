// The engine's process with a policy file that a test changes. Options give all other settings, as deployments do: so even an
// empty file could be a policy.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Cleanup, inReverse } from './cleanup.ts'
import { COMPILE_CACHE } from './compile-cache.ts'
import { ensureSecret, startEngineProcess } from './engine-process.ts'
import { temporaryFolder } from './temporary-folder.ts'

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

/** @param policy the content of the policy's file at first */
export function policyFolder(test: Cleanup, policy: string): PolicyFolder {
  // Engines write into the folder.
  const t = inReverse(test)
  const folder = temporaryFolder(t)
  const config = join(folder, 'policy.toml')
  const published = join(folder, 'published')
  writeFileSync(config, policy)
  return {
    folder,
    config,
    copy: join(published, 'engine', 'accepted-policy.toml'),
    async run(...options) {
      const [secret, token] = [ensureSecret(folder, 'secret'), ensureSecret(folder, 'engine-api-token')]
      const given = ['--secret-file', secret, '--api-token-file', token]
      const addresses = ['--publish', published, '--listen', '127.0.0.1:0', '--ops', '']
      const words = ['src/engine/main.ts', '--config', config, ...given, ...addresses, ...options]
      const env = { ...COMPILE_CACHE, GATEWAY_CAPTIVE_BASE_URL: 'https://portal.example' }
      const { status, stdout, stderr } = spawnSync(process.execPath, words, { env, encoding: 'utf8' })
      return { status: status as number, stdout, stderr }
    },
    async start(...options) {
      const engine = await startEngineProcess(folder, { config, options: ['--ops', '', ...options] })
      t.after(() => engine.kill('SIGKILL'))
      const call = async (path: string, body: object) => JSON.parse((await engine.request('POST', path, body)).body)
      return {
        lines: engine.log,
        verdict: async (host) =>
          (await call('/api/decision', { url: `http://${host}/`, client: '198.51.100.7' })).verdict,
        administer: (name, body = {}) => call(`/api/admin/${name}`, body),
        async stop() {
          await engine.stop()
          assert.equal(engine.process.exitCode, 0)
        },
      }
    },
  }
}
