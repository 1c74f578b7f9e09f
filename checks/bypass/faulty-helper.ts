// Stands between Squid and the helper that knows which hosts are ruled, records the hosts about which Squid gets the answer that
// they are not, and fails as it is told:
//
//   node faulty-helper.ts FOLDER PROGRAM ARGUMENT…
//
// FOLDER has `fault`, which is read; `unruled` and `pids`, which are written.
import { spawn } from 'node:child_process'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from './faults.ts'

const [folder = '', program = '', ...args] = process.argv.slice(2)
const unruled = join(folder, 'unruled')
const hosts = new Map<string, string>()
/** One answer after the other. */
let written = Promise.resolve()
const helper = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
writeFileSync(join(folder, 'pids'), `${process.pid} ${helper.pid}`)
if (process.stdin instanceof Socket) process.stdin.setNoDelay(true)

createInterface(process.stdin).on('line', (line) => {
  if (fault() === 'exits') process.exit(1)
  const [id = '', host = ''] = line.split(' ')
  hosts.set(id, host)
  helper.stdin.write(`${line}\n`)
})
process.stdin.on('end', () => helper.stdin.end())
createInterface(helper.stdout).on('line', (line) => void answer(line))
helper.on('exit', () => process.exit())

async function answer(line: string): Promise<void> {
  const [id = ''] = line.split(' ')
  const host = hosts.get(id)
  hosts.delete(id)
  const parts = await garble(id, line)
  if (parts.join('') === `${line}\n` && line.endsWith('ruled_=no')) appendFileSync(unruled, `${host}\n`)
  written = written.then(async () => {
    for (const [index, part] of parts.entries()) {
      if (index > 0) await sleep(5)
      process.stdout.write(part)
    }
  })
}

async function garble(id: string, line: string): Promise<readonly string[]> {
  switch (fault()) {
    case 'BH':
      return [`${id} BH message="broken" ruled_=no\n`]
    case 'ERR':
      return [`${id} ERR ruled_=no\n`]
    case 'garbled':
      return [GARBLED[Number(id) % GARBLED.length]?.replaceAll('ID', id) ?? '']
    case 'in two writes': {
      const at = 1 + (Number(id) % (line.length - 1))
      return [line.slice(0, at), `${line.slice(at)}\n`]
    }
    case 'slow':
      await sleep(3_000)
      return [`${line}\n`]
    case 'silent':
      return []
    default:
      return [`${line}\n`]
  }
}

/** As a helper could that has lost count, or mixes what it writes. At a line without a number, Squid 5.7 ends. */
const GARBLED = [
  'ID ruled_=no\n',
  'ID 0K ruled_=no\n',
  'ID OKruled_=no\n',
  'ID OK ruled_ = no\n',
  'ID OK "ruled_=no"\n',
  'ID\n',
  'ID \n',
  '\n',
  '-ID OK ruled_=no\n',
  'ID ID OK ruled_=no\n',
  'ID OK Ruled_=no\n',
  'ID OK ruled_=nono\n',
] as const

function fault(): Fault {
  return readFileSync(join(folder, 'fault'), 'utf8') as Fault
}
