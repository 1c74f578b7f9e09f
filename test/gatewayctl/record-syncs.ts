// Preloaded into gatewayctl: records every fsync and every rename in order, in the file that SYNC_LOG names. A test
// cannot cut the power, so it checks what was synced before and after a rename.
import fs from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

const { SYNC_LOG = '' } = process.env
const record = (event: object) => fs.appendFileSync(SYNC_LOG, `${JSON.stringify(event)}\n`)

type Method = (...args: unknown[]) => unknown
function before(
  target: object,
  names: readonly string[],
  note: (self: unknown, args: readonly unknown[]) => void,
): void {
  const methods = target as Record<string, Method>
  for (const name of names) {
    const original = methods[name] as Method
    methods[name] = function (this: unknown, ...args) {
      note(this, args)
      return original.apply(this, args)
    }
  }
}

const synced = (descriptor: number) => record({ synced: fs.fstatSync(descriptor).ino })
const renamed = (from: unknown, to: unknown) => record({ renamed: fs.statSync(String(from)).ino, to })

const anyFile = await promises.open(SYNC_LOG, 'a')
before(Object.getPrototypeOf(anyFile), ['sync', 'datasync'], (file) => synced((file as promises.FileHandle).fd))
await anyFile.close()
before(fs, ['fsync', 'fsyncSync', 'fdatasync', 'fdatasyncSync'], (_, [descriptor]) => synced(Number(descriptor)))
before(fs, ['rename', 'renameSync'], (_, [from, to]) => renamed(from, to))
before(promises, ['rename'], (_, [from, to]) => renamed(from, to))
syncBuiltinESMExports()
