// The process: runs the command line, sets the exit code, and ends quietly when the reader closes the pipe.

import type { Context } from './context.ts'
import { EXIT_FAILED } from './failure.ts'
import { runCommandLine } from './run.ts'
import { isHandlingSignals, listenForSignals } from './signals.ts'

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

process.exitCode = await runCommandLine(context, process.argv.slice(2))

function endWithReader(error: NodeJS.ErrnoException): void {
  // A closed terminal must not end the process before a change has been reverted.
  if (isHandlingSignals()) return
  if (error.code !== 'EPIPE') {
    process.exitCode = EXIT_FAILED
    process.stderr.write(`error: the output cannot be written: ${error.message}\n`)
  }
  process.exit()
}
