// The journeys that most visitors make, in one browser; `npm run check -- journeys` makes all in every browser.
import { CHROMIUM } from '../support/browser.ts'
import { testJourneys } from './journeys.ts'

testJourneys(CHROMIUM, false)
