// Kills gatewayctl at its Nth file operation (KILL_AT_FILE): before it, or half-way through a write.
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

const killAt = Number(process.env.KILL_AT_FILE)
let count = 0
const isTime = () => ++count === killAt
const die = () => process.kill(process.pid, 'SIGKILL')

const patched = fs as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
for (const name of ['rename', 'link', 'rm']) {
  const original = patched[name] as (...args: unknown[]) => Promise<unknown>
  patched[name] = async (...args) => {
    if (isTime()) die()
    return await original(...args)
  }
}
const open = fs.open
fs.open = async (...args: Parameters<typeof open>) => {
  const file = await open(...args)
  const write = file.writeFile
  file.writeFile = async (data) => {
    if (isTime()) {
      await write.call(file, Buffer.from(data as Uint8Array).subarray(0, 7))
      die()
    }
    await write.call(file, data)
  }
  return file
}
syncBuiltinESMExports()
