// The address of the operator's logo, which changes with its content.
import { createHash } from 'node:crypto'
import type { Logo } from '../settings/logo.ts'

export const LOGO_PATH = '/logo'

export function logoAddress({ bytes }: Logo): string {
  return `${LOGO_PATH}?${createHash('sha256').update(bytes).digest('base64url').slice(0, 12)}`
}
