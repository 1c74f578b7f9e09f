// Two replicas that work on one verdict in PostgreSQL, in every order of their statements. `npm run check -- ledger-orders`
// also kills one of them at every moment of each order.
import { testScenes } from './locking.ts'

testScenes({ withDeaths: false })
