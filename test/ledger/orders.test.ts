// The state follows from the attempts, whatever their order. `npm run check -- ledger-orders` has three attempts.
import { databases } from '../support/databases.ts'
import { testOrders } from './orders.ts'

for (const database of databases) testOrders(database, 'two')
