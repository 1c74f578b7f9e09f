// The hosts of requests.
import { listedName } from '../engine/list.ts'

/** Of the engine's rule that warns: clients have a session. Other proxies have no rule for it. */
export const SESSION_HOST = 'www.news.example'
/** All allowed hosts, for the origin's certificate. */
export const ALLOWED_HOSTS = '*.site.example'

export function allowedHost(number: number): string {
  return `www-${number}.site.example`
}

/** Below a name of the list, as most hosts of blocked sites are. @param names the length of the list */
export function listedHost(number: number, names: number): string {
  return `cdn.${listedName((number * 97) % names)}`
}
