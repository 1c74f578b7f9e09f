/** A rule of a policy file. @param lines its other keys, each as `match = ["a.example"]` */
export function rule(name: string, action: string, ...lines: readonly string[]): string {
  return ['[[rules]]', `name = "${name}"`, `action = "${action}"`, ...lines, ''].join('\n')
}
