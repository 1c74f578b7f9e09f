// Every journey through the gateway, in every browser.
import { testJourneys } from '../../test/gateway/journeys.ts'
import { CHROMIUM, FIREFOX } from '../../test/support/browser.ts'

for (const engine of [CHROMIUM, FIREFOX]) testJourneys(engine, true)
