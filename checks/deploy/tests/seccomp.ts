// Seccomp profiles for containers that allow what the systemd units allow.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { analyze, HARDENING, read } from '../../../test/deploy/units.ts'

/** Writes a unit's profile to this file. */
export function writeSeccompProfile(unit: string, path: string): void {
  const calls = allowedCalls(unit)
  assert.ok(calls.includes('futex') && !calls.includes('mount'))
  const syscalls = [{ names: calls, action: 'SCMP_ACT_ALLOW' }]
  writeFileSync(path, JSON.stringify({ defaultAction: 'SCMP_ACT_ERRNO', syscalls }))
}

/** @returns the system calls that a unit allows, with the groups expanded by this machine's systemd */
function allowedCalls(unit: string): readonly string[] {
  const expand = (name: string): readonly string[] =>
    name.startsWith('@')
      ? analyze('syscall-filter', name)
          .stdout.split('\n')
          .slice(1)
          .map((line) => line.trim())
          .filter((line) => line !== '' && !line.startsWith('#'))
          .flatMap(expand)
      : [name]
  const allowed = new Set(expand('@default'))
  const filters = [...`${read(unit)}\n${read(HARDENING)}`.matchAll(/^SystemCallFilter=(~?)(.*)$/gm)]
  assert.ok(filters.length > 0, 'no SystemCallFilter')
  for (const [, not, groups = ''] of filters) {
    for (const call of groups.split(' ').flatMap(expand)) {
      if (not === '') allowed.add(call)
      else allowed.delete(call)
    }
  }
  return [...allowed]
}
