// Parses a header line like Node's parser.

const LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/

/** @returns name and value; nothing for a line that the parser would reject */
export function headerOf(line: string): [name: string, value: string] | [] {
  const [, name, value] = LINE.exec(line) ?? []
  return name === undefined || value === undefined ? [] : [name, value]
}
