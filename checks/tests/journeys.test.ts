// Every journey through the gateway, in every browser.
import { testJourneys } from '../../test/proxy/journeys.ts'
import { skipWithoutWholeGateway } from '../../test/proxy/whole-gateway.ts'
import { CHROMIUM, FIREFOX } from '../../test/support/browser.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'

if (!skipWithoutWholeGateway) continueInNetworkNamespace(import.meta.filename)

for (const engine of [CHROMIUM, FIREFOX]) testJourneys(engine, true)
