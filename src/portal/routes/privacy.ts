// The privacy notice, linked from every page.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answers } from '../answers.ts'
import { type OfferedLocales, parseLocale } from '../i18n/negotiate.ts'
import { type PrivacyProps, privacyPage } from '../pages/privacy.ts'
import { targetQuery } from '../targets.ts'
import type { MeetVisitor } from '../visits.ts'

export interface PrivacyRouteSources {
  readonly answers: Answers
  readonly meet: MeetVisitor
  readonly locales: OfferedLocales
  readonly records: Omit<PrivacyProps, 'isLanguageInAddress'>
}

export function privacyRoute({ answers, meet, locales, records }: PrivacyRouteSources) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const query = targetQuery(request.raw.url as string)
    const chosen = query.startsWith('lang=') ? parseLocale(query.slice(5), locales) : undefined
    if (query !== '' && chosen === undefined) return answers.outcomePage(request, reply, { name: 'malformed' })
    const visit = meet(request, chosen)
    // A browser that came without a cookie may not keep one: then the language stays in the address.
    const isInAddress = chosen !== undefined && request.headers.cookie === undefined
    return answers.page(reply, visit, 200, privacyPage(visit, { ...records, isLanguageInAddress: isInAddress }))
  }
}
