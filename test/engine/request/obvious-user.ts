// Users a second time: slow, obvious, and without a line of the engine's. Follows Unicode's definition of a caseless
// compatibility match (The Unicode Standard, section 3.13), one character after the other.

/** The one form of a name; undefined where it names nobody. */
export function obviousUser(text: string, strip: readonly string[]): string | undefined {
  const tooLong = (name: string) => new TextEncoder().encode(name).length > 256
  if (tooLong(text) || !text.isWellFormed() || [...text].some((one) => /\p{Control}/u.test(one))) return undefined
  let name = plain(text)
  for (const prefix of strip.filter((one) => !one.startsWith('@')).map(plain)) {
    if (plain(text).startsWith(prefix)) name = name.slice(prefix.length)
  }
  for (const suffix of strip.filter((one) => one.startsWith('@')).map(plain)) {
    if (plain(text).endsWith(suffix)) name = name.slice(0, -suffix.length)
  }
  name = plain(name)
  if (standsForNobody(plain(text))) return undefined
  return name === '' || tooLong(name) ? undefined : name
}

function standsForNobody(name: string): boolean {
  const account = (name.split(/[\\/]/).at(-1) ?? '').replace(/@.*/, '').trim()
  if (![...account].some((one) => /\p{Letter}|\p{Number}/u.test(one))) return true
  return account === 'anonymous logon' || /^([(<[{])[^()<>[\]{}]*[)>\]}]$/.test(account)
}

function plain(text: string): string {
  let name = [...text].filter(isSeen).join('')
  for (let round = 0; round < 5; round++) {
    name = [...name.normalize('NFKD')].filter(isSeen).map(withoutCase).join('').normalize('NFKC')
  }
  const words = [...name].map((one) => (/\p{White_Space}/u.test(one) ? ' ' : one)).join('')
  return words.split(' ').filter(Boolean).join(' ')
}

function isSeen(one: string): boolean {
  const isIgnorable = /\p{Default_Ignorable_Code_Point}/u.test(one) || /\p{General_Category=Format}/u.test(one)
  // The Mongolian soft hyphen and the object replacement character: RFC 4518, section 2.2.
  return !isIgnorable && one.codePointAt(0) !== 0x1806 && one.codePointAt(0) !== 0xfffc
}

/** A character alone has no context: its small sigma is never a final one. */
function withoutCase(one: string): string {
  if (one === 'ı') return one
  return [...one.toLowerCase().toUpperCase()].map((capital) => capital.toLowerCase()).join('')
}
