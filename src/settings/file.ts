// Files that are read up to a limit, such as secrets that a container engine mounts.
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs'

/** Reads up to 64 KiB and one more byte. @throws the system's error, with its `code` */
export type ReadFile = (path: string) => Uint8Array

const MAXIMUM_BYTES = 64 * 1024

export const readFileStart: ReadFile = (path) => readStart(path, MAXIMUM_BYTES)

/** Reads up to `most` bytes and one more. @throws the system's error, with its `code` */
export function readStart(path: string, most: number): Uint8Array {
  const file = openSync(path, 'r')
  try {
    return readUpTo(file, most + 1)
  } finally {
    closeSync(file)
  }
}

/** As large as a policy of 100,000 rules. */
const MAXIMUM_REGULAR_MIB = 16

/**
 * Reads a whole regular file: a pipe would wait for a writer, and a device has no end.
 * @throws the system's error, with its `code`; {RangeError} with what is wrong, for anything but a regular file of at most 16 MiB
 */
export const readRegularFile: ReadFile = (path) => {
  const bytes = readRegularFileStart(path, MAXIMUM_REGULAR_MIB * 2 ** 20)
  if (bytes.length <= MAXIMUM_REGULAR_MIB * 2 ** 20) return bytes
  throw new RangeError(`it has more than ${MAXIMUM_REGULAR_MIB} MiB`)
}

/**
 * Reads up to `most` bytes of a regular file and one more.
 * @throws the system's error, with its `code`; {RangeError} for anything but a regular file
 */
export function readRegularFileStart(path: string, most: number): Uint8Array {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) throw new RangeError('it is not a regular file')
    return readUpTo(file, Math.min(stats.size, most) + 1)
  } finally {
    closeSync(file)
  }
}

function readUpTo(file: number, most: number): Uint8Array {
  const bytes = Buffer.alloc(most)
  let length = 0
  for (let read = -1; read !== 0 && length < bytes.length; length += read) {
    read = readSync(file, bytes, length, bytes.length - length, null)
  }
  return bytes.subarray(0, length)
}

/** The text of a file of ours; empty if it cannot be read. */
export function textOrEmpty(path: string, encoding: 'utf8' | 'latin1' = 'utf8'): string {
  try {
    return readFileSync(path, encoding)
  } catch {
    return ''
  }
}

/** Why a file cannot be read: `the system reports ENOENT`, or what it is. */
export function readFault(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code === undefined ? message : `the system reports ${code}`
}

/** The start of a file, or the rule that it breaks. */
export function readStartOrFault(path: string, readFile: ReadFile): { bytes?: Uint8Array; fault?: string } {
  try {
    return { bytes: readFile(path) }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return { fault: `must name a file that can be read (${code ?? message})` }
  }
}

/** The trimmed text of a secret's file, or the rule that the file breaks. */
export function readSecretFile(path: string, readFile: ReadFile): { text?: string; fault?: string } {
  const { bytes, fault } = readStartOrFault(path, readFile)
  if (bytes === undefined) return { fault: `${fault}` }
  if (bytes.length > MAXIMUM_BYTES) return { fault: 'must name a file of at most 64 KiB' }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim()
    return text === '' ? { fault: 'must name a file that is not empty' } : { text }
  } catch {
    return { fault: 'must name a file in UTF-8' }
  }
}
