// Every order of three attempts and many random histories on each database, and in PostgreSQL every order of two replicas'
// statements, with one of them killed at every moment.
import { test } from 'node:test'
import { playInterleavings } from '../../test/ledger/interleavings.ts'
import { testScenes } from '../../test/ledger/locking.ts'
import { testOrders } from '../../test/ledger/orders.ts'
import { databases } from '../../test/support/databases.ts'

for (const database of databases) {
  testOrders(database, 'three')

  test(`random histories, ${database.name}`, { skip: database.skip }, (t) => playInterleavings(t, database, 300))
}
testScenes({ withDeaths: true })
