// The lines that Squid writes to the helper: `ID HOST …`, where the host is percent-encoded.

export interface Question {
  /** Squid's number for it, which begins the answer. */
  readonly id: string
  /** As in the URL; undefined for one that the engine could not read. */
  readonly host: string | undefined
}

const LINE = /^([0-9]{1,20}) (\S{1,1024})(?: |$)/
/** Without what could end a line of a request. */
const HOST = /^[\x21-\x7e]{1,255}$/

/** @param lines without their ends, one character per byte; those without a number cannot be answered */
export function parseQuestions(lines: readonly string[]): readonly Question[] {
  return lines.flatMap((line) => {
    const [, id, text = ''] = LINE.exec(line) ?? []
    if (id === undefined) return []
    const host = text.replace(/%([0-9a-f]{2})/gi, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)))
    return [{ id, host: HOST.test(host) ? host : undefined }]
  })
}
