// The process: runs the command line, sets the exit code, and ends quietly when the reader closes the pipe.

import type { Context } from './context.ts'
import { EXIT_FAILED, ending } from './failure.ts'
import { createProgram } from './program.ts'
import { isHandlingSignals, listenForSignals } from './signals.ts'
import { printableLines } from './terminal/printable.ts'

const context: Context = {
  env: process.env,
  get stdin() {
    return process.stdin
  },
  stdout: process.stdout,
  stderr: process.stderr,
  clock: Date.now,
}

// The database rolls back an open transaction; an exit handler removes an unfinished file.
listenForSignals()
for (const stream of [process.stdout, process.stderr]) stream.on('error', endWithReader)

try {
  await createProgram(context).parseAsync()
} catch (error) {
  const { exitCode, message } = ending(error)
  process.exitCode = exitCode
  if (message !== undefined) process.stderr.write(`error: ${printableLines(message)}\n`)
}

function endWithReader(error: NodeJS.ErrnoException): void {
  // A terminal that was closed must not end the process before a change is put back.
  if (isHandlingSignals()) return
  if (error.code !== 'EPIPE') {
    process.exitCode = EXIT_FAILED
    process.stderr.write(`error: the output cannot be written: ${error.message}\n`)
  }
  process.exit()
}
