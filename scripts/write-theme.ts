// Writes src/portal/theme/inlined.ts: the style and scripts as every page carries them, without what a browser needs not.
import { readFileSync, writeFileSync } from 'node:fs'
import { transformSync } from 'esbuild'

const theme = new URL('../src/portal/theme/', import.meta.url)

const INLINED = {
  STYLE: 'style.css',
  CERTIFICATE_STYLE: 'certificate.css',
  POLICY_STYLE: 'policy.css',
  FACE_STYLE: 'face.css',
  CHOSEN_THEME_SCRIPT: 'chosen-theme.js',
  PAGE_SCRIPT: 'page.js',
  GUARD_SCRIPT: 'guard.js',
  UNLOCK_SCRIPT: 'unlock.js',
  PIN_SCRIPT: 'pin.js',
  PASSPHRASE_SCRIPT: 'passphrase.js',
  CERTIFICATE_SCRIPT: 'certificate.js',
}

/** The generated module's text. */
export function inlinedTheme(): string {
  const constants = Object.entries(INLINED).map(([name, file]) => {
    const { code } = transformSync(readFileSync(new URL(file, theme), 'utf8'), {
      loader: file.endsWith('.css') ? 'css' : 'js',
      minify: true,
      // The oldest browsers that the pages support: what they cannot read is rewritten or refused here.
      target: ['chrome90', 'firefox90', 'safari14.1'],
      charset: 'utf8',
    })
    return `export const ${name} =\n  ${JSON.stringify(code.trim())}\n`
  })
  return `// Generated from the styles and scripts in this folder by \`npm run theme\`; edit those.\n\n${constants.join('\n')}`
}

if (import.meta.main) writeFileSync(new URL('inlined.ts', theme), inlinedTheme())
