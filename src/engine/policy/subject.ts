// A request in the form that conditions compare. What only some of them need is computed once, when the first one needs it.
import { addressWords } from '../../network/address-range.ts'
import { suffixesOf } from '../../network/host.ts'
import { pathOf, type UrlPath } from '../../network/url-path.ts'
import type { DecisionRequest } from '../request/decision-request.ts'
import { hashHost, type SuffixHashes } from './lists/domain-list.ts'
import { ALL_OFF, type Switches } from './switches.ts'

/** A host without a request. */
export class HostSubject {
  /** Canonical. */
  readonly host: string
  /** Shortest first. */
  readonly suffixes: readonly string[]
  #hashes: SuffixHashes | undefined

  constructor(host: string) {
    this.host = host
    this.suffixes = suffixesOf(host)
  }

  /** Valid until a list is compared with another subject. */
  get hashes(): SuffixHashes {
    this.#hashes ??= hashHost(this.suffixes)
    return this.#hashes
  }
}

export class Subject extends HostSubject {
  readonly request: DecisionRequest
  /** When it is decided: milliseconds since the epoch. */
  readonly at: number
  readonly switches: Switches
  #path: UrlPath | undefined
  #address: readonly number[] | undefined

  constructor(request: DecisionRequest, at: number, switches = ALL_OFF) {
    super(request.host)
    this.request = request
    this.at = at
    this.switches = switches
  }

  get path(): UrlPath {
    this.#path ??= pathOf(this.request.target)
    return this.#path
  }

  get address(): readonly number[] {
    this.#address ??= addressWords(this.request.client.address)
    return this.#address
  }
}
