// The shape of a rule's `when` in the TOML file.
import * as z from 'zod'
import { evenWithProblems, parsed } from '../../../settings/shapes.ts'
import { path } from '../value-shapes.ts'
import { parseDays, parseTimeOfDay, WHOLE_DAY } from './schedule.ts'
import { zoneClock } from './zone-clock.ts'

const time = parsed('a time of day such as "08:00", at most "24:00"', parseTimeOfDay)

export const schedule = z
  .strictObject({
    days: parsed('days such as "mon-fri" or "sat,sun"', parseDays).prefault('mon-sun'),
    from: time.refine((value) => value < WHOLE_DAY, 'must be a time of day before "24:00"').prefault('00:00'),
    to: time.prefault('24:00'),
    timezone: parsed('a time zone such as "Europe/Zurich"', zoneClock).optional(),
    not_on: path.optional(),
  })
  .refine(({ from, to }) => typeof from !== 'number' || from !== to, {
    ...evenWithProblems,
    path: ['to'],
    error: 'must differ from "from"; for a whole day leave out both',
  })
