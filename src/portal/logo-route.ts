// The operator's logo. Browsers keep it: its address changes with its content. As part of each page it would not fit into the
// first round trip.
import type { Exchange } from './http/exchange.ts'
import { type Handled, plain } from './http/handler.ts'
import type { Services } from './services.ts'

/** The current logo at any address of it: after a restart with another one, pages of the old one may still be open. */
export function logoRoute({ responses, respond, config }: Pick<Services, 'responses' | 'respond' | 'config'>) {
  const { logo } = config.brand
  return (exchange: Exchange): Handled =>
    plain(
      logo === undefined
        ? respond(exchange, { name: 'notFound' })
        : responses.logo(exchange, 200, [Buffer.from(logo.bytes)], ['content-type', logo.mediaType]),
    )
}
