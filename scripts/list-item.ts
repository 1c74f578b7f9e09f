// A list item of a generated Markdown page.

/** @returns it, in lines of at most 130 columns */
export function listItem(text: string): string {
  const lines = text.match(/\S.{0,126}(?= |$)/g) ?? []
  return `- ${lines.join('\n  ')}`
}
