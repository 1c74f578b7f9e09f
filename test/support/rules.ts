// Rules of the engine's policy, as TOML.

/** @param keys its others, each as `lists = ["ads"]`; by default one host of the rule's name */
export function rule(name: string, action: string, ...keys: readonly string[]): string {
  const others = keys.length === 0 ? [`match = ["${name}.example"]`] : keys
  return ['[[rules]]', `name = ${JSON.stringify(name)}`, `action = "${action}"`, ...others, ''].join('\n')
}
