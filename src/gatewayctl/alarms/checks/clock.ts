// This machine's clock: whether it is synchronised. On one machine all clocks agree, also when all are wrong.
import { run } from '../../deployment/run-program.ts'
import type { Checked } from '../cause.ts'
import type { Surroundings } from './surroundings.ts'

const SECONDS = 15

export async function checkClock({ context: { env }, units }: Surroundings): Promise<Checked> {
  if (typeof units === 'string') return { causes: [] }
  const printed = async (...words: readonly string[]) => {
    return (await run(words, { cwd: '/', env: { ...env, LC_ALL: 'C' }, seconds: SECONDS })).stdout.trim()
  }
  // The clock of a container is its host's.
  const virtual = await printed('systemd-detect-virt', '--container')
  if (virtual !== '' && virtual !== 'none') return { causes: [] }
  const isSynchronised = await printed('timedatectl', 'show', '--property=NTPSynchronized', '--value')
  if (isSynchronised !== 'no') return { causes: [] }
  return {
    causes: [
      {
        id: 'clock',
        summary: 'The clock of this machine is not synchronised: links expire too early, or are rejected',
        remedy: 'timedatectl set-ntp true; timedatectl timesync-status',
      },
    ],
  }
}
