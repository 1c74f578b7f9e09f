// The release. Its version always comes from package.json.
import packageJson from '#package' with { type: 'json' }
import { section } from '../../settings/section.ts'
import { parsed } from '../../settings/shapes.ts'

interface ReleaseSettings {
  readonly release: {
    readonly version: string
    /** Empty for a release without a suffix. */
    readonly type: string
    /** Version and type: `2026.47.0-IR`, or `2026.47.0`. */
    readonly label: string
  }
}

export const release = section(
  'Release',
  {
    GATEWAY_CAPTIVE_RELEASE_TYPE: {
      purpose: 'Suffix of the version; the image sets it.',
      shape: parsed('at most 32 letters, digits, dots and hyphens', (text) =>
        /^[A-Za-z0-9.-]{0,32}$/.test(text) ? text : undefined,
      ),
      default: packageJson.releaseType,
      empty: 'no suffix',
    },
  },
  ({ GATEWAY_CAPTIVE_RELEASE_TYPE: type }): ReleaseSettings => {
    const { version } = packageJson
    return { release: { version, type, label: type === '' ? version : `${version}-${type}` } }
  },
)
