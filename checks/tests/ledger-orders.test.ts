// Every order of three attempts on each database, and in PostgreSQL every order of two replicas' statements, with one of them
// killed at every moment.
import { testScenes } from '../../test/ledger/locking.ts'
import { testOrders } from '../../test/ledger/orders.ts'
import { databases } from '../../test/support/databases.ts'

for (const database of databases) testOrders(database, 'three')
testScenes({ withDeaths: true })
