// The journeys that most visitors make, in one browser; `npm run check -- journeys` makes all in every browser.
import { CHROMIUM } from '../support/browser.ts'
import { continueInNetworkNamespace } from '../support/network-namespace.ts'
import { testJourneys } from './journeys.ts'
import { skipWithoutWholeGateway } from './whole-gateway.ts'

if (!skipWithoutWholeGateway) continueInNetworkNamespace(import.meta.filename)

testJourneys(CHROMIUM, false)
