// The journeys that most visitors make, in one browser; `npm run check -- journeys` makes all in every browser.

import { testJourneys } from '../../test/proxy/journeys.ts'
import { skipWithoutWholeGateway } from '../../test/proxy/whole-gateway.ts'
import { CHROMIUM } from '../../test/support/browser.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'

if (!skipWithoutWholeGateway) continueInNetworkNamespace(import.meta.filename)

testJourneys(CHROMIUM, false)
