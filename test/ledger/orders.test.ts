// The state follows from the attempts, whatever their order, also where two replicas work on one verdict in PostgreSQL, in every
// order of their statements. `npm run check -- ledger-orders` has three attempts, and kills a replica at every moment.
import { databases } from '../support/databases.ts'
import { testScenes } from './locking.ts'
import { testOrders } from './orders.ts'

for (const database of databases) testOrders(database, 'two')
testScenes({ withDeaths: false })
