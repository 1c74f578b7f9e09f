// One page for each outcome of a request other than a verdict page or a redirect.

import { destinationBox, shownRest } from '../page/destination-box.ts'
import { frame, operatorName, supportContact, type Visit } from '../page/frame.ts'
import { type Html, html } from '../page/html.ts'
import { formatCount, formatDuration } from '../page/i18n/format.ts'
import { type Mail, type SupportDetails, supportHref } from '../page/support.ts'
import { type Outcome, retryAfterOf } from './outcomes.ts'

/** The scripts put the visitor's local time here. */
const LOCAL_TIME = '#'

export function outcomePage(visit: Visit, outcome: Outcome): Html {
  const { t, site } = visit
  const { name } = outcome
  const { destination, reference } = outcome.verdict ?? {}
  const isLockedOut = name === 'lockedOut'
  const { title, text } = t.outcome[name]
  const support =
    site.supportLink &&
    supportHref(site.supportLink, { reference, host: destination?.host }, reference === undefined ? undefined : mail)
  const contact = supportContact(site, support)
  return frame(visit, {
    title,
    support,
    scripts: isLockedOut ? [site.scripts.lockedOut] : undefined,
    body: html`<svg class="shape" viewBox="0 0 48 48" aria-hidden="true"><path d="M24 4a20 20 0 100 40 20 20 0 000-40zm0 19v11m0-20v.1"/></svg>
<h1>${title}</h1>
<p>${text}</p>
<p>${adviceAndContact(visit, outcome)}</p>
${contact && html`<p>${contact}</p>`}
${
  destination !== undefined &&
  html`${destinationBox({ ...destination, rest: shownRest(destination) })}
<p><a class="${isLockedOut ? 'button' : 'primary'}" id="reopen" rel="noreferrer" href="${destination.href}">${t.outcome.reopen}</a></p>`
}
${reference !== undefined && html`<dl><dt>${t.details.reference}</dt><dd><bdi dir="ltr" id="reference" translate="no">${reference}</bdi></dd></dl>`}`,
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
  if (outcome.name === 'lockedOut') return html`${lockedOutAdvice(visit, outcome)} ${contact(operator)}`
  const advice = adviceOf(visit, outcome)
  return advice === undefined ? tell(operator) : html`${advice} ${contact(operator)}`
}

/** The page's script replaces it by the visitor's local time, with a countdown. */
function lockedOutAdvice(visit: Visit, outcome: Outcome): Html {
  const { at } = visit.t.outcome.lockedOut
  const texts = [at(LOCAL_TIME), visit.t.override.lockOver]
  return html`<span id="locked-out" data-seconds="${retryAfterOf(outcome) ?? 0}" data-texts="${texts.join('|')}">${adviceOf(visit, outcome)}</span>`
}

/** A lockout as text for Unlock's script, which puts the visitor's local time into it. */
export function lockedOutDetail({ t }: Visit): string {
  const { text, at } = t.outcome.lockedOut
  return `${text} ${at(LOCAL_TIME)}`
}

/** Undefined if only the operator can help. */
function adviceOf({ t, locale }: Visit, outcome: Outcome): string | undefined {
  const words = t.outcome[outcome.name]
  if (!('advice' in words)) return undefined
  const { advice } = words
  if (typeof advice === 'string') return advice
  return advice(formatDuration(Math.ceil((retryAfterOf(outcome) ?? 0) / 60), locale))
}
