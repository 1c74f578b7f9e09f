// SIGINT, SIGTERM and SIGHUP end gatewayctl at once, unless a verb handles them: it first reverts a change in progress.
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'

export type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'
type Handler = (signal: EndSignal) => void

let handler: Handler | undefined

export const exitCodeOf = (signal: EndSignal): number => 128 + constants.signals[signal]

/** Call it at the start of the process. Without a handler SIGHUP keeps its disposition: nohup has set it to ignored. */
export function listenForSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => (handler ?? end)(signal))
}

export const isHandlingSignals = (): boolean => handler !== undefined

/** Calls `handle` for each signal during the work; afterwards a signal ends the process again. */
export async function handlingSignals<T>(handle: Handler, work: () => Promise<T>): Promise<T> {
  const hangUp = () => handle('SIGHUP')
  const hasNohup = isIgnored('SIGHUP')
  handler = handle
  if (!hasNohup) process.on('SIGHUP', hangUp)
  try {
    return await work()
  } finally {
    process.removeListener('SIGHUP', hangUp)
    handler = undefined
  }
}

export function end(signal: EndSignal): never {
  process.exit(exitCodeOf(signal))
}

function isIgnored(signal: EndSignal): boolean {
  try {
    const [, mask = '0'] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    return ((BigInt(`0x${mask}`) >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n
  } catch {
    return false
  }
}
