// `node scripts/bundle.ts FOLDER [PROGRAM]`: bundles the portal, the engine or the proxy into a few JavaScript files for its image.
// They start in a third of the time and use half the memory of the sources, and stack traces still refer to readable
// lines. docs/performance.md has the gain of each measure.
import { cpSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

/** Entry points of processes and threads; each keeps its name. */
const PROGRAMS = new Map([
  ['portal', ['src/portal/main.ts', 'src/database/sqlite-worker.ts']],
  ['engine', ['src/engine/main.ts', 'src/database/sqlite-worker.ts', 'src/engine/policy/lists/list-worker.ts']],
  ['proxy', ['src/proxy/main.ts', 'src/proxy/ruled-hosts.ts']],
])

/** Files and folders that a program reads from its own folder. */
const FILES = new Map([
  ['engine', ['src/engine/proxy-settings/default-exemptions.txt']],
  ['proxy', ['deploy/proxy/squid.conf', 'deploy/proxy/errors']],
])

/** An `import` of `node:http` would evaluate all its exports, such as an HTTP client and WebSocket. */
const lazyBuiltIns: Plugin = {
  name: 'lazy built-in modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z0-9_:/]+$/ }, ({ path }) => (isBuiltin(path) ? { path, namespace: 'node' } : undefined))
    onLoad({ filter: /./, namespace: 'node' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`,
    }))
  },
}

const root = fileURLToPath(new URL('../', import.meta.url))
const [folder, program = 'portal'] = process.argv.slice(2)
const entryPoints = PROGRAMS.get(program)
if (folder === undefined || entryPoints === undefined) {
  throw new Error('wrong arguments: node scripts/bundle.ts FOLDER [portal|engine|proxy]')
}

await build({
  absWorkingDir: root,
  entryPoints: entryPoints.map((file) => join(root, file)),
  entryNames: '[name]',
  outdir: folder,
  bundle: true,
  // Dynamic imports stay separate files.
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node26',
  // Source maps next to the files; Node reads them only with --enable-source-maps, which needs 25 MB.
  sourcemap: 'linked',
  legalComments: 'none',
  // Optional dependency of pg on other platforms.
  external: ['pg-native', 'pg-cloudflare'],
  banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
  plugins: [lazyBuiltIns],
})

for (const file of FILES.get(program) ?? []) {
  cpSync(join(root, file), join(folder, basename(file)), { recursive: true })
}
