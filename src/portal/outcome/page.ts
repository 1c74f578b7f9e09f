// One page for each outcome of a request other than a verdict page or a redirect.

import { type Html, html } from '../../html/html.ts'
import { backButton, backStatus } from '../page/back.ts'
import { destinationBox, isLongAddress, shownRest } from '../page/destination-box.ts'
import { detailRow } from '../page/detail-row.ts'
import { frame, operatorName, supportContact, type Visit } from '../page/frame.ts'
import { formatCount, formatDuration } from '../page/i18n/format.ts'
import { SIGNS, signImage } from '../page/sign.ts'
import { type Mail, type SupportDetails, supportHref } from '../page/support.ts'
import { OUTCOMES, type Outcome, retryAfterOf } from './outcomes.ts'

/** The scripts put here the visitor's local time, or the time that is left. */
const MARK = '#'

export function outcomePage(visit: Visit, outcome: Outcome): Html {
  const { t, site } = visit
  const { name } = outcome
  const { destination, reference } = outcome.verdict ?? {}
  const isLockedOut = name === 'lockedOut'
  const sign = isLockedOut ? SIGNS.clock : SIGNS.information
  const { hasLanguages = false } = OUTCOMES[name]
  const isContactOnly = OUTCOMES[name].isContactOnly && site.supportLink !== undefined
  const hasBack = destination === undefined && !isContactOnly
  const { title, text } = t.outcome[name]
  const support =
    site.supportLink &&
    supportHref(site.supportLink, { reference, host: destination?.host }, reference === undefined ? undefined : mail)
  const contact = supportContact(site, support)
  return frame(visit, {
    title,
    sign,
    // Without the request's own address, of which no error page has any part.
    inLanguage: hasLanguages ? (locale) => `/locale?set=${locale}&page=${name}` : undefined,
    support: !isContactOnly && support,
    style: site.withoutPinStyle,
    script: isLockedOut ? site.scripts.lockedOut : hasBack ? site.scripts.back : undefined,
    body: html`${signImage(sign)}
<h1>${title}</h1>
${destination !== undefined && destinationBox({ ...destination, rest: shownRest(destination) }, { longLabel: isLongAddress(destination) && t.details.requestedAddress })}
<p class="reason">${text}</p>
${adviceAndContact(visit, outcome)}
${contact && html`<p class="quiet">${contact}</p>`}
<div class="choice">${
      isContactOnly
        ? html`<a class="primary" href="${support}">${t.footer.support}</a>`
        : destination === undefined
          ? backButton(t)
          : html`<a class="${isLockedOut ? 'button' : 'primary'}" id="reopen" href="${destination.href}">${t.outcome.reopen}</a>`
    }</div>
${hasBack && backStatus}
${reference !== undefined && html`<dl>${detailRow(t.details.reference, html`<bdi dir="ltr" id="ref" translate="no">${reference}</bdi>`)}</dl>`}`,
  })

  function mail({ reference = '' }: SupportDetails): Mail {
    return { subject: title, body: [t.details.labelled(t.details.reference, reference)] }
  }
}

/** An outcome as text, which Unlock shows next to the code field. */
export function outcomeDetail(visit: Visit, outcome: Outcome): string {
  const { t, locale } = visit
  if (outcome.name === 'codeRejected') {
    const { attemptsRemaining } = outcome
    if (attemptsRemaining === undefined) return t.override.wrong
    return `${t.override.wrong} ${formatCount(attemptsRemaining, locale, t.override.attemptsLeft)}`
  }
  const { text } = t.outcome[outcome.name]
  const advice = adviceOf(visit, outcome)
  return advice === undefined ? text : `${text} ${advice}`
}

/** One piece of advice, then whom to tell. */
function adviceAndContact(visit: Visit, outcome: Outcome): Html {
  const { contact, tell } = visit.t.outcome
  const operator = operatorName(visit)
  if (outcome.name === 'lockedOut') return html`${lockedOutAdvice(visit, outcome)}<p>${contact(operator)}</p>`
  const advice = adviceOf(visit, outcome)
  return html`<p>${advice === undefined ? tell(operator) : html`${advice} ${contact(operator)}`}</p>`
}

/** The page's script replaces it by the visitor's local time, with a countdown. */
function lockedOutAdvice(visit: Visit, outcome: Outcome): Html {
  const { at } = visit.t.outcome.lockedOut
  const texts = [at(MARK), visit.t.override.lockOver, markedMinutes(visit)]
  return html`<p id="locked-out" data-seconds="${retryAfterOf(outcome) ?? 0}" data-texts="${texts.join('|')}">${adviceOf(visit, outcome)}</p>`
}

/** A lockout for Unlock's script, in the order in which it reads this. */
export function lockoutDetails(visit: Visit, outcome: Outcome): readonly (string | number)[] {
  const { t } = visit
  const { title, text, at } = t.outcome.lockedOut
  const words = [title, `${text} ${at(MARK)}`, SIGNS.clock.path, markedMinutes(visit)]
  return [retryAfterOf(outcome) ?? 0, ...words, t.override.lockOver, t.nothingToGoBackTo]
}

/** A number of minutes, with the mark in its place. */
export function markedMinutes({ locale }: Pick<Visit, 'locale'>): string {
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit: 'minute', unitDisplay: 'short' })
  const parts = format.formatToParts(10)
  return parts.map(({ type, value }) => (type === 'integer' ? MARK : value)).join('')
}

/** Undefined if only the operator can help. */
function adviceOf({ t, locale }: Visit, outcome: Outcome): string | undefined {
  const words = t.outcome[outcome.name]
  if (!('advice' in words)) return undefined
  const { advice } = words
  if (typeof advice === 'string') return advice
  return advice(formatDuration(Math.ceil((retryAfterOf(outcome) ?? 0) / 60), locale))
}
