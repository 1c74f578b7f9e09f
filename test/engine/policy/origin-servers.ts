// How servers read a path, slow and obvious, without a line of the engine's. Each character is a byte.

type Read = (path: string) => string

const HEXADECIMAL = '0123456789abcdef'

function decoding(kept: readonly number[]): Read {
  return (path) => {
    let read = ''
    let rest = path
    while (rest !== '') {
      const high = HEXADECIMAL.indexOf(rest[1]?.toLowerCase() ?? 'none')
      const low = HEXADECIMAL.indexOf(rest[2]?.toLowerCase() ?? 'none')
      const byte = 16 * high + low
      if (rest[0] === '%' && high >= 0 && low >= 0 && !kept.includes(byte)) {
        read += String.fromCharCode(byte)
        rest = rest.slice(3)
      } else {
        read += rest[0]
        rest = rest.slice(1)
      }
    }
    return read
  }
}

const decode = decoding([])
const decodeAllButSlashes = decoding([47, 92])
const dropParameters: Read = (path) =>
  path
    .split('/')
    .map((segment) => segment.split(';')[0])
    .join('/')
const endAtNul: Read = (path) => Array.from(path.matchAll(/^[^\0]*/g)).join('')
const backslashesAreSlashes: Read = (path) => path.split('\\').join('/')
function mergeSlashes(path: string): string {
  return path.includes('//') ? mergeSlashes(path.replace('//', '/')) : path
}

const ignoreCase: Read = (path) => {
  const text = Buffer.from(path, 'latin1').toString()
  // Bytes that are no text stay as they are.
  return text.includes('\ufffd') ? path : Buffer.from(text.toLowerCase()).toString('latin1')
}

/** RFC 3986, section 5.2.4, word for word. */
function resolveDotSegments(path: string): string {
  let input = path
  let output = ''
  while (input !== '') {
    if (input.startsWith('/./')) input = input.slice(2)
    else if (input === '/.') input = '/'
    else if (input.startsWith('/../') || input === '/..') {
      input = `/${input.slice(4)}`
      output = output.slice(0, Math.max(0, output.lastIndexOf('/')))
    } else {
      const end = input.indexOf('/', 1)
      output += end === -1 ? input : input.slice(0, end)
      input = end === -1 ? '' : input.slice(end)
    }
  }
  return output
}

const STEPS: readonly Read[] = [
  ...[dropParameters, decode, decodeAllButSlashes, endAtNul],
  ...[backslashesAreSlashes, mergeSlashes, resolveDotSegments],
]

/** What chains of servers of any kind and length may read, and the path itself. */
export function allReadings(path: string): ReadonlySet<string> {
  let known = new Set([path])
  for (let before = 0; before !== known.size && known.size <= 128; ) {
    before = known.size
    known = new Set([...known, ...[...known].flatMap((one) => STEPS.map((read) => read(one)))])
  }
  return known
}

const inTurn =
  (...steps: readonly Read[]): Read =>
  (path) =>
    steps.reduce((read, step) => step(read), path)

/** Servers by what they do with a path, as they are or can be set. */
export const SERVERS: Readonly<Record<string, Read>> = {
  'object store': (path) => path,
  nginx: inTurn(decode, mergeSlashes, resolveDotSegments),
  'Apache, AllowEncodedSlashes NoDecode': inTurn(decodeAllButSlashes, mergeSlashes, resolveDotSegments),
  Tomcat: inTurn(dropParameters, decode, backslashesAreSlashes, mergeSlashes, resolveDotSegments),
  'Tomcat, encodedSolidusHandling passthrough': inTurn(
    ...[dropParameters, decodeAllButSlashes, mergeSlashes, resolveDotSegments],
  ),
  'resolves, then decodes': inTurn(dropParameters, resolveDotSegments, decode),
  IIS: inTurn(decode, backslashesAreSlashes, mergeSlashes, resolveDotSegments, ignoreCase),
  'ignores case, then decodes': inTurn(ignoreCase, decode),
  'PHP, WSGI': decode,
  'CGI in C': inTurn(decode, endAtNul, mergeSlashes, resolveDotSegments),
  'drops parameters at the end': inTurn(decode, resolveDotSegments, dropParameters),
}
