// Writes src/portal/page/theme/inlined.ts: the minified style and scripts that every page contains; and the frame of the engine's
// pages, which is that of the proxy's.
import { readFileSync, writeFileSync } from 'node:fs'
import { transformSync } from 'esbuild'
import { withShortNames } from '../src/portal/page/theme/palettes.ts'

const theme = new URL('../src/portal/page/theme/', import.meta.url)
const proxyPage = new URL('../deploy/proxy/errors/page.html', import.meta.url)
const pageFrameModule = new URL('../src/engine/icap/page-frame.ts', import.meta.url)

/** The files of each style and script. */
const INLINED = {
  STYLE: 'style.css',
  CERTIFICATE_STYLE: 'certificate.css',
  POLICY_STYLE: 'policy.css',
  FACE_STYLE: 'face.css',
  LOGO_STYLE: 'logo.css',
  CHOSEN_THEME_SCRIPT: 'chosen-theme.js',
  PAGE_SCRIPT: 'page.js',
  PROCEED_SCRIPT: 'guard.js',
  WARNING_SCRIPT: 'guard.js back.js',
  PIN_SCRIPT: 'guard.js countdown.js pin.js unlock.js',
  PASSPHRASE_SCRIPT: 'guard.js countdown.js passphrase.js unlock.js',
  LOCKED_OUT_SCRIPT: 'countdown.js locked-out.js',
  CERTIFICATE_SCRIPT: 'certificate.js',
}

/** The generated module's text. */
function inlinedTheme(): string {
  const constants = Object.entries(INLINED).map(([name, files]) => {
    const sources = files.split(' ').map((file) => readFileSync(new URL(file, theme), 'utf8'))
    const isStyle = files.endsWith('.css')
    const { code } = transformSync(sources.join('\n'), {
      loader: isStyle ? 'css' : 'js',
      minify: true,
      // The oldest supported browsers: newer syntax is rewritten or rejected.
      target: ['chrome90', 'firefox90', 'safari14.1'],
      // They support all but the newest of the properties.
      supported: { 'regexp-unicode-property-escapes': true },
      charset: 'utf8',
    })
    return `export const ${name} =\n  ${JSON.stringify(isStyle ? withShortNames(code.trim()) : code.trim())}\n`
  })
  return `// Generated from the styles and scripts in this folder by \`npm run theme\`; edit those.\n\n${constants.join('\n')}`
}

/** The same. */
function pageFrame(): string {
  const page = JSON.stringify(readFileSync(proxyPage, 'utf8'))
  return `// Generated from deploy/proxy/errors/page.html by \`npm run theme\`; edit that.\n\nexport const PAGE_FRAME =\n  ${page}\n`
}

if (import.meta.main) {
  writeFileSync(new URL('inlined.ts', theme), inlinedTheme())
  writeFileSync(pageFrameModule, pageFrame())
}
