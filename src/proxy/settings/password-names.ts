// Names in a file of passwords that nobody can sign in with: Squid passes names to its programs in lower case.
import { authParams } from './directives.ts'

/**
 * The file in which PROXY_AUTH has Squid look up passwords, if Squid passes names in lower case.
 * @param auth the text of the file of PROXY_AUTH
 */
export function passwordFile(auth: string): string | undefined {
  let file = ''
  let isExact = false
  for (const { scheme, parameter, values } of authParams(auth)) {
    if (scheme !== 'basic') continue
    if (parameter === 'casesensitive') isExact = values[0] === 'on'
    if (parameter === 'program' && values.join(' ').includes('basic_ncsa_auth')) file = values.at(-1) ?? ''
  }
  return file.startsWith('/') && !isExact ? file : undefined
}

/**
 * What is wrong with the first such name, with what to do; on one line.
 * @param text of the file of passwords
 * @param auth the path of the file of PROXY_AUTH
 */
export function capitalName(text: string, file: string, auth: string): string | undefined {
  const names = text.split('\n').map((line) => line.split(':')[0] ?? '')
  const index = names.findIndex((name) => !name.startsWith('#') && /[A-Z]/.test(name))
  if (index === -1) return undefined
  const name = names[index]?.slice(0, 64).replace(/[^ -~]/g, '?') ?? ''
  return `${file}, line ${index + 1}: nobody can sign in as '${name}': Squid passes names in lower case, however they are typed. Write '${name.toLowerCase()}', or 'auth_param basic casesensitive on' into ${auth}`
}
