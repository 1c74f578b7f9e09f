// Every journey through the gateway in Chromium, and in Firefox those in which a browser's engine matters.
import { testJourneys } from '../../test/proxy/journeys.ts'
import { skipWithoutWholeGateway } from '../../test/proxy/whole-gateway.ts'
import { CHROMIUM, FIREFOX } from '../../test/support/browser.ts'
import { continueInNetworkNamespace } from '../../test/support/network-namespace.ts'

if (!skipWithoutWholeGateway) continueInNetworkNamespace(import.meta.filename)

testJourneys(CHROMIUM, true)
testJourneys(FIREFOX, false)
