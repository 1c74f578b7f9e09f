// A page's own parameter. Whatever else mail programs and apps append to an address (`utm_source`, `fbclid`) is ignored;
// only verdict addresses are exact (`src/contract/verdict-url.ts`).
import type { Exchange } from './exchange.ts'

/** The value of the first parameter of that name, not decoded; undefined without one. */
export function parameterOf({ query }: Exchange, name: string): string | undefined {
  const parameter = query.split('&').find((one) => one === name || one.startsWith(`${name}=`))
  return parameter?.slice(name.length + 1)
}
