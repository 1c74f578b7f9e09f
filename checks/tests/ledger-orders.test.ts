// Every order of three attempts on each database, and all scenes of two replicas in PostgreSQL.
import { SCENES, testScenes } from '../../test/ledger/locking.ts'
import { testOrders } from '../../test/ledger/orders.ts'
import { databases } from '../../test/support/databases.ts'

for (const database of databases) {
  // PGlite has one session: three attempts find nothing that two do not.
  if (database.skipSessions === false) testOrders(database, 'three')
}
testScenes(SCENES)
