// Merkle tree hashes of RFC 9162, section 2.1.1, with SHA-256: the prefixes keep a leaf from passing as an inner node.
import { hash } from 'node:crypto'

const LEAF = Buffer.of(0)
const NODE = Buffer.of(1)

/** @returns hexadecimal */
export function leafHash(content: string): string {
  return hash('sha256', Buffer.concat([LEAF, Buffer.from(content)]))
}

/**
 * The root over leaf hashes.
 * @param leaves hexadecimal
 * @returns hexadecimal; of an empty tree the hash of nothing
 */
export function treeHash(leaves: readonly string[]): string {
  const [first = hash('sha256', '')] = leaves
  if (leaves.length <= 1) return first
  // Level by level: an odd last node rises unchanged, which yields the RFC's tree.
  const parents: string[] = []
  for (let at = 0; at < leaves.length; at += 2) {
    const [left = '', right] = leaves.slice(at, at + 2)
    parents.push(right === undefined ? left : nodeHash(left, right))
  }
  return treeHash(parents)
}

function nodeHash(left: string, right: string): string {
  return hash('sha256', Buffer.concat([NODE, Buffer.from(left, 'hex'), Buffer.from(right, 'hex')]))
}
