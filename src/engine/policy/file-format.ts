// What a file is that should be a list of names, or another text: of a packed file or an error page, the numbers of malformed lines
// would help nobody.

/** What files of these formats begin with, in hexadecimal. */
const BINARY: readonly (readonly [beginning: RegExp, format: string])[] = [
  [/^1f8b/, 'a gzip file: unpack it'],
  [/^504b0[357]0[468]/, 'a zip archive: unpack it'],
  [/^fd377a585a00/, 'an xz file: unpack it'],
  [/^425a683[1-9]314159265359/, 'a bzip2 file: unpack it'],
  [/^28b52ffd/, 'a zstd file: unpack it'],
  [/^377abcaf271c/, 'a 7z archive: unpack it'],
  [/^526172211a07/, 'a RAR archive: unpack it'],
  [/^04224d18/, 'an lz4 file: unpack it'],
  [/^4c5a4950/, 'an lzip file: unpack it'],
  [/^1f9d/, 'a file of compress: unpack it'],
  [/^.{514}7573746172/, 'a tar archive: unpack it'],
  [/^255044462d/, 'a PDF document'],
  // A mark, or two characters of ASCII.
  [/^(fffe|feff|(?!00)[0-7].00[0-7].00|00(?!00)[0-7].00)/, 'text in UTF-16: save it as UTF-8'],
  [/^(..)*?00/, 'no text: it has NUL bytes'],
]

export const ADBLOCK = 'an adblock list'
export const WEB_PAGE = 'a web page'

const TEXT: readonly (readonly [beginning: RegExp, format: string])[] = [
  [/^\[adblock/i, ADBLOCK],
  [/^</, WEB_PAGE],
  [/^(\{\s*["}]|\[[\s[]*[\]"{\d])/, 'JSON'],
  [/^version https:\/\/git-lfs/, 'a pointer of Git LFS: get the file itself'],
]

/** Enough for the magic number of a tar archive. */
const BEGINNING_BYTES = 512

/** Worded to follow `it is`; undefined for text of any other kind. */
export function formatOf(content: Uint8Array): string | undefined {
  const beginning = Buffer.from(content.subarray(0, BEGINNING_BYTES))
  const find = (formats: typeof TEXT, text: string) => formats.find(([pattern]) => pattern.test(text))?.[1]
  return find(BINARY, beginning.toString('hex')) ?? find(TEXT, beginning.toString().replace(/^[\s\ufeff]+/, ''))
}
