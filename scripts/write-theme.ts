// Writes src/portal/page/theme/inlined.ts: the minified style and scripts that every page contains; and into the pages outside the
// portal what they share: the palettes, the frame of the proxy's and the engine's pages, and its style and script for the
// terminator's, with their hashes.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { transformSync } from 'esbuild'
import { flavourProperties, withShortNames } from '../src/html/palettes.ts'
import { PALETTES } from '../src/portal/settings/brand.ts'

const theme = new URL('../src/portal/page/theme/', import.meta.url)
const proxyPage = new URL('../deploy/proxy/errors/page.html', import.meta.url)
const terminatorPage = new URL('../deploy/terminator/unavailable.html', import.meta.url)
const nginxConfiguration = new URL('../deploy/terminator/nginx.conf', import.meta.url)
const pageFrameModule = new URL('../src/engine/icap/page-frame.ts', import.meta.url)

/** The files of each style and script. A page has the script of the head, and one of the others. */
const INLINED = {
  STYLE: 'sheet.css style.css',
  FACE_STYLE: 'face.css style.css',
  CERTIFICATE_STYLE: 'certificate.css',
  WITHOUT_PIN_STYLE: 'without-pin.css',
  POLICY_STYLE: 'policy.css',
  LOGO_STYLE: 'logo.css',
  NOTICE_STYLE: 'notice.css',
  RIGHT_TO_LEFT_STYLE: 'right-to-left.css',
  CHOSEN_THEME_SCRIPT: 'chosen-theme.js',
  PAGE_SCRIPT: 'page.js',
  PROCEED_SCRIPT: 'page.js guard.js',
  BACK_SCRIPT: 'page.js go-back.js back.js',
  WARNING_SCRIPT: 'page.js guard.js go-back.js back.js',
  PIN_SCRIPT: 'page.js countdown.js go-back.js pin.js unlock.js',
  PASSPHRASE_SCRIPT: 'page.js countdown.js go-back.js passphrase.js unlock.js',
  LOCKED_OUT_SCRIPT: 'page.js countdown.js locked-out.js',
  CERTIFICATE_SCRIPT: 'page.js certificate.js',
}

/** The generated module's text. */
function inlinedTheme(): string {
  const constants = Object.entries(INLINED).map(([name, files]) => {
    const sources = files.split(' ').map((file) => readFileSync(new URL(file, theme), 'utf8'))
    const isStyle = files.endsWith('.css')
    const { code } = transformSync(sources.join('\n'), {
      loader: isStyle ? 'css' : 'js',
      minify: true,
      // Within a function, the names that the files share become short, too.
      ...(files.startsWith('page.js') && { format: 'iife' }),
      // The oldest supported browsers: newer syntax is rewritten or rejected.
      target: ['chrome90', 'firefox90', 'safari14.1'],
      // They support all but the newest of the properties.
      supported: { 'regexp-unicode-property-escapes': true },
      charset: 'utf8',
    })
    return `export const ${name} =\n  ${JSON.stringify((isStyle ? withShortNames : withShortWords)(code.trim()))}\n`
  })
  return `// Generated from the styles and scripts in this folder by \`npm run theme\`; edit those.\n\n${constants.join('\n')}`
}

/** A minified script assigns to no constant: `let` does the same. */
function withShortWords(script: string): string {
  return script.replaceAll(/\bconst(?=[ [{])/g, 'let')
}

/** The same. */
function pageFrame(page: string): string {
  return `// Generated from deploy/proxy/errors/page.html by \`npm run theme\`; edit that.\n\nexport const PAGE_FRAME =\n  ${JSON.stringify(page)}\n`
}

/** The first rules of the page's style. */
function withPalettes(page: string): string {
  const [light, dark] = (['light', 'dark'] as const).map((flavour) =>
    PALETTES.map((palette) => `.${palette}{${flavourProperties(palette, flavour)}}`).join('\n'),
  )
  const rules = `${light}\n@media screen and (prefers-color-scheme:dark){\n${dark}\n}\n`
  return page.replace(/(?<=<style>\n).*?(?=\* \{\n)/s, rules)
}

/** Style and first script are those of the proxy's. */
function terminatorPageLike(page: string): string {
  return [/<style>.*<\/style>/s, /<script>.*?<\/script>/s].reduce(
    (own, part) => own.replace(part, () => part.exec(page)?.[0] ?? ''),
    readFileSync(terminatorPage, 'utf8'),
  )
}

/** Of the terminator's page. */
function withHashes(configuration: string, page: string): string {
  const sources = (element: string) =>
    Array.from(page.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gs')), ([, text = '']) => {
      return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
    }).join(' ')
  return configuration.replace(
    /style-src [^;]*; script-src [^;]*/,
    `style-src ${sources('style')}; script-src ${sources('script')}`,
  )
}

if (import.meta.main) {
  writeFileSync(new URL('inlined.ts', theme), inlinedTheme())
  const page = withPalettes(readFileSync(proxyPage, 'utf8'))
  writeFileSync(proxyPage, page)
  writeFileSync(pageFrameModule, pageFrame(page))
  const unavailable = terminatorPageLike(page)
  writeFileSync(terminatorPage, unavailable)
  writeFileSync(nginxConfiguration, withHashes(readFileSync(nginxConfiguration, 'utf8'), unavailable))
}
