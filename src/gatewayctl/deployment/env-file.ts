// The deployment's `.env`: what it says, and the same text with one variable set and everything else as it was.

/** All variables; of one that is set twice, the last counts. */
export function variables(text: string): Record<string, string> {
  const lines = text.matchAll(/^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*(.*)$/gm)
  return Object.fromEntries(Array.from(lines, ([, name = '', value = '']) => [name, unquoted(value)]))
}

/** @param value of letters, which need no quotation marks */
export function withVariable(text: string, name: string, value: string): string {
  const pattern = new RegExp(
    `^([ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=[ \\t]*)("[^"\\r\\n]*"|'[^'\\r\\n]*'|[^\\s#]*)`,
    'gm',
  )
  const last = [...text.matchAll(pattern)].at(-1)
  if (last === undefined) return `${text}${/[^\n]$/.test(text) ? '\n' : ''}${name}=${value}\n`
  const [whole, start = ''] = last
  return text.slice(0, last.index) + start + value + text.slice(last.index + whole.length)
}

function unquoted(value: string): string {
  const [, double, single] = /^(?:"([^"]*)"|'([^']*)')/.exec(value) ?? []
  return double ?? single ?? value.replace(/(^|[ \t])#.*$/, '').trim()
}
