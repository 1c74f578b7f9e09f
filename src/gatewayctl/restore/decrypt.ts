// Reads what `age` decrypts. Its own error explains most faults of an archive: another key, or an end that is missing.
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ByteSource, byteSource } from '../../archive/byte-source.ts'
import type { Context } from '../context.ts'
import { EXIT_MISUSED, Failure } from '../failure.ts'
import { printableLines } from '../terminal/printable.ts'

const MISSING = 'age cannot be run, which decrypts backups: apt-get install age'
/** How long its exit status may follow the end of its output. */
const ENDING_MS = 2_000
const MAXIMUM_CHARACTERS = 4_000

/**
 * @param read must read to the end
 * @throws {Failure} unless the archive is whole
 */
export async function readDecrypted<T>(
  { env }: Pick<Context, 'env'>,
  archive: string,
  identity: string,
  read: (source: ByteSource) => Promise<T>,
): Promise<T> {
  // It asks for a passphrase on the terminal, so it stays in this process group.
  const child = spawn('age', ['--decrypt', '--identity', resolve(identity), resolve(archive)], {
    env,
    stdio: ['inherit', 'pipe', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (said.length < MAXIMUM_CHARACTERS) said += text
  })
  const ended = new Promise<string | undefined>((settle) => {
    child.once('error', () => settle(MISSING))
    child.once('close', (status, signal) => {
      const end = signal ?? `status ${status}`
      settle(status === 0 ? undefined : `${archive} cannot be decrypted: ${reason(said) ?? `age ended with ${end}`}`)
    })
  })
  try {
    const result = await read(byteSource(child.stdout))
    const fault = await ended
    if (fault !== undefined) throw failure(fault)
    return result
  } catch (error) {
    if (error instanceof Failure) throw error
    // What it wrote until then is no whole archive.
    const fault = await Promise.race([ended, sleep(ENDING_MS, undefined, { ref: false })])
    throw failure(fault ?? `${archive} is refused: ${faultOf(error as NodeJS.ErrnoException)}`)
  } finally {
    child.kill()
  }
}

function failure(fault: string): Failure {
  return fault === MISSING ? new Failure(fault, EXIT_MISUSED) : new Failure(`${fault}; nothing was changed`)
}

function faultOf({ code = '', message }: NodeJS.ErrnoException): string {
  return code.startsWith('Z_') ? 'it is damaged or cut' : message
}

/** Its first line, without what repeats its name. */
function reason(said: string): string | undefined {
  const [line] = printableLines(said)
    .split('\n')
    .filter((one) => one.startsWith('age: ') && !one.startsWith('age: report '))
  return line?.replace(/^age: (error: )?/, '')
}
