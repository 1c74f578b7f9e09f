// One page for each outcome of a request other than a verdict page or a redirect.
import type { Destination } from '../../contract/destination.ts'
import { frame, operatorName, supportContact, type Visit } from '../page/frame.ts'
import { type Html, html } from '../page/html.ts'
import { formatCount, formatDuration } from '../page/i18n/format.ts'
import { type Mail, type SupportDetails, supportHref } from '../page/support.ts'
import { destinationBox, shownRest } from '../verdict/destination-box.ts'

export type OutcomeName = Exclude<keyof Visit['t']['outcome'], 'reopen' | 'contact' | 'tell' | 'contentBlocked'>

export interface OutcomeProps {
  readonly name: OutcomeName
  /** The site to try again; the gateway then issues a new verdict. */
  readonly destination?: Destination | undefined
  /** The verdict's id, for the help desk. */
  readonly reference?: string | undefined
  /** Seconds until the next attempt is allowed; with `lockedOut` only. */
  readonly retryAfter?: number | undefined
  /** Remaining attempts; with `codeRejected` only. */
  readonly attemptsRemaining?: number | undefined
}

/** The scripts put the visitor's local time here. */
const LOCAL_TIME = '#'

export function outcomePage(visit: Visit, outcome: OutcomeProps): Html {
  const { t, site } = visit
  const { name, destination, reference } = outcome
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
<p>${whatToDo(visit, outcome)}</p>
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

/** The same outcome as text, shown next to the code field. */
export function outcomeDetail(visit: Visit, outcome: OutcomeProps): string {
  const { t, locale } = visit
  const { name, attemptsRemaining } = outcome
  if (name !== 'codeRejected') {
    const advice = adviceOf(visit, outcome)
    return advice === undefined ? t.outcome[name].text : `${t.outcome[name].text} ${advice}`
  }
  if (attemptsRemaining === undefined) return t.override.wrong
  return `${t.override.wrong} ${formatCount(attemptsRemaining, locale, t.override.attemptsLeft)}`
}

/** One piece of advice, then whom to tell. */
function whatToDo(visit: Visit, outcome: OutcomeProps): Html {
  const { contact, tell } = visit.t.outcome
  const operator = operatorName(visit)
  if (outcome.name === 'lockedOut') return html`${lockedOutAdvice(visit, outcome)} ${contact(operator)}`
  const advice = adviceOf(visit, outcome)
  return advice === undefined ? tell(operator) : html`${advice} ${contact(operator)}`
}

/** The script replaces it by the visitor's local time, with a countdown. */
function lockedOutAdvice(visit: Visit, outcome: OutcomeProps): Html {
  const { at } = visit.t.outcome.lockedOut
  const texts = [at(LOCAL_TIME), visit.t.override.lockOver]
  return html`<span id="locked-out" data-seconds="${outcome.retryAfter ?? 0}" data-texts="${texts.join('|')}">${adviceOf(visit, outcome)}</span>`
}

/** The same for the script next to the code field. */
export function lockedOutDetail({ t }: Visit): string {
  const { text, at } = t.outcome.lockedOut
  return `${text} ${at(LOCAL_TIME)}`
}

/** Undefined if only the operator can help. */
function adviceOf({ t, locale }: Visit, { name, retryAfter }: OutcomeProps): string | undefined {
  const words = t.outcome[name]
  if (!('advice' in words)) return undefined
  const { advice } = words
  return typeof advice === 'string' ? advice : advice(formatDuration(Math.ceil((retryAfter ?? 0) / 60), locale))
}
