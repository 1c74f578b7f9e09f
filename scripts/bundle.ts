// `node scripts/bundle.ts FOLDER`: the portal as a few files of plain JavaScript, for the image. They start in a third of the
// time and take half the memory of the sources, and the lines of a stack trace are still lines that one can read. See
// docs/performance.md for what each part of this gains.
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

/** What Node starts as a program or a thread; each keeps its name. */
const PROGRAMS = ['src/portal/main.ts', 'src/ledger/sqlite-worker.ts']

/** An `import` of `node:http` would evaluate everything that it could give, an HTTP client and WebSocket among it. */
const asNeeded: Plugin = {
  name: 'built-in modules as needed',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z0-9_:/]+$/ }, ({ path }) => (isBuiltin(path) ? { path, namespace: 'node' } : undefined))
    onLoad({ filter: /./, namespace: 'node' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`,
    }))
  },
}

const root = fileURLToPath(new URL('../', import.meta.url))
const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('say where to: node scripts/bundle.ts FOLDER')

await build({
  absWorkingDir: root,
  entryPoints: PROGRAMS.map((program) => join(root, program)),
  entryNames: '[name]',
  outdir: folder,
  bundle: true,
  // What is imported where it is needed stays apart.
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node26',
  // Next to the files; Node reads them with --enable-source-maps only, because that takes 25 MB.
  sourcemap: 'linked',
  legalComments: 'none',
  // Optional dependency of pg on other platforms.
  external: ['pg-native', 'pg-cloudflare'],
  banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
  plugins: [asNeeded],
})
