// A policy for the tests of administration, with names that try to break what shows them.

import { HOSTILE_RULE, HOSTILE_USER } from '../../../support/hostile.ts'
import { rule } from '../../../support/rules.ts'
import { policy } from '../../running-engine.ts'

export const RULES = policy(`
  [[lists]]
  name = "adult"
  path = "adult.txt"
  ${rule('bank', 'allow', 'match = [".bank.example"]')}
  ${rule('adults', 'block', 'lists = ["adult"]')}
  ${rule('news', 'warn', 'match = ["news.example"]', 'session_minutes = 30')}
  ${rule('lab', 'aup', 'match = ["lab.example"]', 'override = { type = "pin", code = "80361", attempts = 2 }')}
  [[rules]]
  name = ${JSON.stringify(HOSTILE_RULE)}
  match = ["evil.example"]
  users = [${JSON.stringify(HOSTILE_USER)}]
  action = "warn"
  ${rule('games', 'block', 'match = [".games.example"]', 'when = { days = "mon-fri", from = "08:00", to = "16:00", timezone = "Europe/Zurich" }')}
`)
export const FILES = { 'adult.txt': '# names\nadult.example\nxn--bcher-kva.example\n' }
