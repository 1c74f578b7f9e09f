// Reads a file that the engine publishes on a shared volume: it may be missing, incomplete, overwritten while it is read,
// or not a regular file.
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { Unusable } from './ca-certificate.ts'

const MAXIMUM_BYTES = 256 * 1024

/** The file's bytes, or why it cannot be used; never throws. */
export async function readPublishedFile(path: string): Promise<Buffer | Unusable | 'missing'> {
  let file: FileHandle | undefined
  try {
    // Opening a pipe would block.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    if (!(await file.stat()).isFile()) return { unusable: 'it is not a regular file' }
    const bytes = Buffer.alloc(MAXIMUM_BYTES + 1)
    let length = 0
    for (let bytesRead = -1; bytesRead !== 0 && length < bytes.length; length += bytesRead) {
      ;({ bytesRead } = await file.read(bytes, length))
    }
    return length > MAXIMUM_BYTES ? { unusable: 'it is larger than 256 KiB' } : Buffer.from(bytes.subarray(0, length))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : { unusable: `it cannot be read (${code})` }
  } finally {
    await file?.close()
  }
}
