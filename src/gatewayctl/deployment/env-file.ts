// Reads the deployment's `.env`, and sets one variable without changing the rest.

/** All variables; the last assignment wins. */
export function variables(text: string): Record<string, string> {
  const lines = text.matchAll(/^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*(.*)$/gm)
  return Object.fromEntries(Array.from(lines, ([, name = '', value = '']) => [name, unquoted(value)]))
}

/** @param value characters that need no quotes */
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
