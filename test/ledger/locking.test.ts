// Two replicas that work on one verdict in PostgreSQL, in every order of their statements: the scenes that differ in what
// they lock. `npm run check -- ledger-orders` has all of them.
import { SCENES, testScenes } from './locking.ts'

const NAMES = ['two tabs', 'a wrong code and the right one', 'the right code twice', 'the right code and a new attempt']

testScenes(Object.fromEntries(Object.entries(SCENES).filter(([name]) => NAMES.includes(name))))
