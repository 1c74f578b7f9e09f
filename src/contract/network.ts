// What counts as one client: limits and lockouts apply to an IPv4 address or to an IPv6 /64, because a client can choose
// any address in its /64.

/** @param address an IP address in its canonical form; an IPv4-mapped IPv6 address as IPv4 */
export function networkOf(address: string): string {
  return address.includes(':') ? `${firstHalf(address)}::/64` : address
}

/** The first four of an IPv6 address's eight groups. */
function firstHalf(address: string): string {
  const groups = (part: string) => (part === '' ? [] : part.split(':'))
  const [head = '', tail] = address.split('::')
  const left = groups(head)
  if (tail === undefined) return left.slice(0, 4).join(':')
  const right = groups(tail)
  const zeros = Array<string>(8 - left.length - right.length).fill('0')
  return [...left, ...zeros, ...right].slice(0, 4).join(':')
}
