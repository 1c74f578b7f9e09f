// The preview on a free port, with a clock that stands still: every page in every state, and an engine that always answers.
import type { TestContext } from 'node:test'
import { pino } from 'pino'
import { freePort } from '../../demo/start.ts'
import { loadConfig } from '../../src/config/config.ts'
import { pageStates } from '../../src/portal/preview/page-states.ts'
import { createPreviewApp } from '../../src/portal/preview/preview-app.ts'
import { SECRET } from './payloads.ts'
import { NOW } from './portal.ts'

export interface RunningPreview {
  /** Scheme, host and port. */
  readonly address: string
  /** Where each page state is, by its name. */
  readonly pages: ReadonlyMap<string, string>
  /** The address of one state. @throws {Error} when there is none of that name */
  page(name: string): string
  close(): Promise<void>
}

/** Without a test, `close` ends it. */
export async function startPreview(
  t: TestContext | undefined,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningPreview> {
  // The pages name their own address, so that it has to be known before.
  const port = await freePort()
  const { config } = loadConfig({
    GATEWAY_CAPTIVE_SHARED_SECRET: SECRET,
    GATEWAY_CAPTIVE_SECRET_KEY: `session-${SECRET}`,
    GATEWAY_CAPTIVE_DATABASE_URL: 'sqlite://',
    GATEWAY_CAPTIVE_BASE_URL: `http://127.0.0.1:${port}`,
    ...env,
  })
  const app = await createPreviewApp({ config, clock: () => NOW * 1000, log: pino({ level: 'silent' }) })
  const address = await app.listen({ host: '127.0.0.1', port })
  const states = pageStates(config.payload.keyring.sealing, NOW)
  const pages = new Map(states.map(({ name, target }) => [name, address + target]))
  const close = () => app.close()
  t?.after(close)
  return {
    address,
    pages,
    page(name) {
      const found = pages.get(name)
      if (found === undefined) throw new Error(`no page state ${name}`)
      return found
    },
    close,
  }
}
