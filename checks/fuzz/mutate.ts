// Mutates an input: bits, bytes, slices, repetitions, known tokens, parts of other inputs.
import { MAXIMUM_INPUT_BYTES } from './target.ts'

type Mutation = (input: Buffer) => Buffer

const REMARKABLE = [
  ...['\0', '\r\n', '\n', '\t', ' ', '\u2028', '\u202e', '\ufeff', '\ud83d\ude00'],
  ...`%00 %0a % " ' < > & ; , = .. \\ -1 0 1e999 9007199254740993 __proto__ null`.split(' '),
]
  .map((text) => Buffer.from(text))
  .concat([Buffer.from([0xed, 0xa0, 0x80]), Buffer.from([0xff]), Buffer.from([0xc0, 0x80])])

const below = (limit: number) => Math.floor(Math.random() * limit)
const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T
/** Prefers short lengths. */
const someLength = (most: number) => Math.min(most, 1 + below(2 ** below(10)))

/** @param others the corpus, whose parts are inserted */
export function mutate(input: Buffer, tokens: readonly string[], others: readonly Buffer[]): Buffer {
  const insert = (into: Buffer, piece: Uint8Array) => {
    const at = below(into.length + 1)
    return Buffer.concat([into.subarray(0, at), piece, into.subarray(at)])
  }
  const overwrite = (into: Buffer, piece: Uint8Array) => {
    const at = below(into.length + 1)
    return Buffer.concat([into.subarray(0, at), piece, into.subarray(at + piece.length)])
  }
  const part = (of: Buffer) => {
    const at = below(of.length)
    return of.subarray(at, at + someLength(of.length - at))
  }
  const mutations: readonly Mutation[] = [
    (bytes) => overwrite(bytes, Buffer.from([below(256)])),
    (bytes) => overwrite(bytes, Buffer.from([0x20 + below(0x5f)])),
    (bytes) => {
      const at = below(bytes.length)
      return overwrite(bytes, Buffer.from([(bytes[at] ?? 0) ^ (1 << below(8))]))
    },
    (bytes) => {
      const at = below(bytes.length)
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + someLength(bytes.length - at))])
    },
    (bytes) => insert(bytes, part(bytes)),
    (bytes) => overwrite(bytes, part(bytes)),
    (bytes) => insert(bytes, pick(REMARKABLE)),
    (bytes) => insert(bytes, Buffer.from(pick(tokens))),
    (bytes) => overwrite(bytes, Buffer.from(pick(tokens))),
    (bytes) => insert(bytes, part(pick(others))),
    (bytes) => Buffer.concat([bytes.subarray(0, below(bytes.length)), part(pick(others))]),
    (bytes) => {
      const piece = Math.random() < 0.5 ? Buffer.from(pick(tokens)) : part(bytes)
      return insert(bytes, Buffer.concat(Array.from({ length: someLength(512) }, () => piece)))
    },
    // Changes digits by one.
    (bytes) =>
      Buffer.from(bytes.map((byte) => (byte >= 0x30 && byte <= 0x39 && Math.random() < 0.2 ? byte ^ 1 : byte))),
  ]
  let changed = input
  for (let times = 1 + below(4); times > 0; times--) changed = pick(mutations)(changed)
  return changed.subarray(0, MAXIMUM_INPUT_BYTES)
}

/** @returns the shortest input found that still fails */
export function shrink(input: Buffer, fails: (candidate: Buffer) => boolean): Buffer {
  let shortest = input
  for (let size = Math.ceil(input.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < shortest.length; ) {
      const candidate = Buffer.concat([shortest.subarray(0, at), shortest.subarray(at + size)])
      if (fails(candidate)) shortest = candidate
      else at += size
    }
  }
  return shortest
}
