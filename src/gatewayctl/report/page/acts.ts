// What visitors and administrators did, and what that says about rules and lists.
import { type Html, html } from '../../../html/html.ts'
import type { Formats } from './formats.ts'
import { missingInCauses } from './missing.ts'
import { ranked, section, type Visit } from './sections.ts'
import { nameOf, type Row, table } from './tables.ts'

export function acts(visit: Visit): Html {
  const { report, t, formats } = visit
  const { acknowledgements, permissions, switches } = report
  const { columns } = t
  const rules = acknowledgements.rules.map(({ rule, accepted, rejected, locked_out: lockedOut }) => {
    return { name: nameOf(rule, t), values: [accepted, rejected, lockedOut].map(formats.number) }
  })
  const hosts = permissions.hosts.map(({ host, granted, stopped }) => {
    return { name: nameOf(host, t), values: [granted, stopped].map(numberOrDash(formats)) }
  })
  const turned = switches.map(({ switch: name, on, off }) => {
    return { name: nameOf(name, t), values: [on, off].map(formats.number) }
  })
  return html`<h2>${t.acts.heading}</h2><div class="pair">${[
    plain(visit, t.acknowledgements, [columns.rule, columns.accepted, columns.rejected, columns.lockedOut], rules),
    plain(visit, t.permissions, [columns.host, columns.granted, columns.stopped], hosts),
    switches.length > 0 && plain(visit, t.switches, [columns.switch, columns.on, columns.off], turned),
  ]}</div>`
}

export function overBlocking(visit: Visit): Html {
  const { report, t, formats } = visit
  const { causes, lists } = report.over_blocking
  const { columns, overBlocking: texts } = t
  const causeRows = causes.map(({ rule, list, stopped, permissions, acknowledgements }): Row => {
    const reason = stopped === null ? texts.causes.withoutHosts : texts.causes.unknown
    const name = rule === null ? html`<i>${reason}</i>` : nameOf(rule, t)
    return {
      name,
      ...(list !== null && { detail: nameOf(list, t) }),
      values: [permissions, acknowledgements, stopped].map(numberOrDash(formats)),
    }
  })
  const listRows = lists.map(({ list, stopped, asked, alone, hosts }): Row => {
    const detail = alone === null ? texts.lists.unloaded : shownHosts(hosts)
    return {
      name: nameOf(list, t),
      ...(detail !== undefined && { detail }),
      values: [
        numberOrDash(formats)(alone),
        alone === null ? '–' : formats.share(alone, asked),
        formats.number(stopped),
      ],
      ...(alone !== null && { part: alone / Math.max(1, asked) }),
    }
  })
  const heads = [columns.rule, columns.granted, columns.accepted, columns.stopped]
  const meaning = [texts.causes.meaning, ...missingInCauses(report, t, formats)].join(' ')
  return html`<h2>${texts.heading}</h2><div class="pair">${[
    plain(visit, { ...texts.causes, meaning }, heads, causeRows),
    plain(visit, texts.lists, [columns.list, columns.alone, columns.share, columns.stopped], listRows),
  ]}</div>`
}

/** What isn't known has no number. */
function numberOrDash({ number }: Formats): (value: number | null) => string {
  return (value) => (value === null ? '–' : number(value))
}

const SHOWN_HOSTS = 5

function shownHosts(hosts: readonly { readonly host: string }[]): Html | undefined {
  if (hosts.length === 0) return undefined
  const shown = hosts.slice(0, SHOWN_HOSTS)
  return html`${shown.map(({ host }, at) => html`${at > 0 && ', '}<bdi translate="no">${host}</bdi>`)}`
}

export function people(visit: Visit): Html | undefined {
  const { report, t } = visit
  if (report.people === null) return undefined
  const { users, clients, groups } = report.people
  const { columns } = t
  const of = (
    heading: string,
    column: string,
    entries: readonly { readonly name: string; readonly requests: number }[],
  ) =>
    ranked(
      visit,
      { heading, meaning: '' },
      column,
      entries.map((one) => ({ ...one, name: nameOf(one.name, t) })),
      undefined,
      'h3',
    )
  return html`<h2>${t.people.heading}</h2><p class="quiet">${t.people.meaning}</p><div class="pair">${[
    of(t.people.users, columns.user, users),
    of(t.people.clients, columns.client, clients),
    of(t.people.groups, columns.group, groups),
  ]}</div>`
}

function plain(
  visit: Visit,
  texts: { readonly heading: string; readonly meaning: string },
  heads: readonly string[],
  rows: readonly Row[],
): Html {
  return section(visit, texts, rows.length === 0 ? undefined : table(texts.heading, heads, rows), 'h3')
}
