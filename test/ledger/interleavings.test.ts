// The state follows from the attempts, whatever their order. `npm run check -- ledger-orders` has three attempts, and many
// more random histories.
import { test } from 'node:test'
import { databases } from '../support/databases.ts'
import { playInterleavings } from './interleavings.ts'
import { testOrders } from './orders.ts'

for (const database of databases) {
  testOrders(database, 'two')

  test(`random histories, ${database.name}`, { skip: database.skip, timeout: 60_000 }, (t) =>
    playInterleavings(t, database, 25),
  )
}
