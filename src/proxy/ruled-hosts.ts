// The helper that Squid asks, before it forwards a request, whether any rule could stop it: the engine answers. Squid starts it
// as an external_acl_type with concurrency and remembers each answer for a second. Whatever goes wrong, the answer is "ruled",
// and the engine decides as about every other request. It ends with Squid.
import { readFileSync } from 'node:fs'
import { connectIcap } from './icap-connection.ts'
import { EngineQuestions } from './ruled-hosts/engine-questions.ts'
import { serviceOf } from './ruled-hosts/hosts-service.ts'
import { parseQuestions } from './ruled-hosts/squid-lines.ts'

/** Characters of an incomplete line: Squid's hosts have at most 255. */
const LONGEST_LINE = 16_384

const { stdin, stdout } = process
const service = serviceOf(process.env)
// A file with the CAs that verify an icaps:// service, in PEM. Without a CA, Node would trust its own.
const [file = ''] = process.argv.slice(2)
const authorities = service.isTls ? readFileSync(file, 'utf8') : ''

const questions = new EngineQuestions({
  connect: () => connectIcap(service, authorities),
  service,
  clock: () => performance.now(),
  answer(answers) {
    const lines = answers.map(({ id, isRuled }) => `${id} OK ruled_=${isRuled ? 'yes' : 'no'}\n`)
    // Squid reserves names of annotations without a final underscore. One write: Squid reads its answers in one piece.
    if (!stdout.write(lines.join(''), 'latin1')) stdin.pause()
  },
})

let incomplete = ''
stdin.setEncoding('latin1')
stdin.on('data', (chunk: string) => {
  const lines = `${incomplete}${chunk}`.split('\n')
  incomplete = lines.pop() as string
  if (incomplete.length > LONGEST_LINE) process.exit(1)
  questions.ask(parseQuestions(lines))
})
stdout.on('drain', () => stdin.resume())
stdin.on('end', () => process.exit())
for (const stream of [stdin, stdout]) stream.on('error', () => process.exit())
// Squid still needs its answers while it stops, and a terminal or systemd signals all processes.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
