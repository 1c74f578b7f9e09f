// Reads [alarms] from the engine's file on its own: nothing else in that file, damaged or not, keeps alarms from being sent.
import { readFault, readRegularFile } from '../../settings/file.ts'
import { ALARMS, ALARMS_SECRET_KEYS, type AlarmSettings, alarms } from '../../settings/sections/alarms.ts'
import type { TomlReading } from '../../settings/toml-file.ts'
import { tomlReader } from '../toml-reader.ts'

export type SectionReading =
  | { readonly settings: AlarmSettings /** As written, to be remembered. */; readonly section: unknown }
  | { readonly problems: readonly string[] }

export async function readSection(path: string): Promise<SectionReading> {
  const { readTomlFile } = await tomlReader()
  const read = (text: string): TomlReading =>
    readTomlFile({ path, readFile: () => Buffer.from(text), options: [], secretKeys: ALARMS_SECRET_KEYS })
  let text: string
  try {
    text = new TextDecoder().decode(readRegularFile(path))
  } catch (error) {
    return { problems: [`${path} must be a file that can be read; ${readFault(error)}`] }
  }
  const whole = read(text)
  const reading = whole.tables === undefined ? read(sectionAlone(text)) : whole
  if (reading.tables === undefined) return { problems: whole.problems() }
  const section = reading.tables[ALARMS]
  if (section === undefined) return { problems: [`${path} must have a section [${ALARMS}]; it has none`] }
  const settings = reading.parse(alarms, [ALARMS])
  return settings === undefined ? { problems: reading.problems() } : { settings, section }
}

/** The settings of a section that was remembered; undefined for any other value. */
export function rememberedSettings(section: unknown): AlarmSettings | undefined {
  return section === undefined ? undefined : alarms.safeParse(section).data
}

/** The file with its other lines empty, so that the numbers of lines stay. */
function sectionAlone(text: string): string {
  let isInside = false
  const lines = text.split('\n').map((line) => {
    if (/^\s*\[/.test(line)) isInside = RegExp(`^\\s*\\[\\s*${ALARMS}\\s*\\]`).test(line)
    return isInside ? line : ''
  })
  return `${lines.join('\n')}\n`
}
