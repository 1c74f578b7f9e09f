// The report's texts in German.
import type { Texts } from './en.ts'

export const de: Texts = {
  title: 'Gateway-Bericht',
  heading: 'Was angehalten wurde',
  period: (from, to, zone) => `Vom ${from} bis ${to}, Zeitzone ${zone}.`,
  made: (time) => `Erstellt am ${time}.`,
  nothing: 'In diesem Zeitraum wurde nichts angehalten.',
  none: 'Keine in diesem Zeitraum.',
  noName: 'keine',
  forgotten: (days) => `Das Journal reicht ${days} zurück. Was davor war, fehlt hier und zählt als 0.`,
  noHosts:
    'Das Journal speichert keine Hosts ([journal] hosts = false). Deshalb fehlen hier die Hosts und die zweifelhaften Listen.',
  others: (entries) => `${entries} weitere`,
  showTable: 'Tabelle',
  figures: {
    heading: 'Gesamtzahlen',
    stopped: 'Angehaltene Anfragen',
    stoppedShare: (share) => `${share} aller Entscheidungen`,
    allowed: 'Erlaubte Anfragen',
    allowedNote: 'soweit die Engine gefragt wurde',
    acknowledged: 'Bestätigungen',
    acknowledgedNote: 'Besucher, die fortgefahren sind',
    rejected: 'Falsche Codes',
    lockedOut: 'Aussperrungen',
    lockedOutNote: 'nach zu vielen falschen Codes',
    permissions: 'Freigaben',
    permissionsNote: 'vorübergehend geöffnete Hosts',
    lessonCodes: 'Unterrichtscodes',
  },
  verdicts: { block: 'Gesperrt', warn: 'Gewarnt', aup: 'Richtlinie gezeigt', allow: 'Erlaubt' },
  columns: {
    day: 'Tag',
    week: 'Woche',
    hour: 'Stunde',
    stopped: 'Ange\u00adhalten',
    requests: 'Anfragen',
    share: 'Anteil',
    category: 'Kategorie',
    rule: 'Regel',
    list: 'Liste',
    host: 'Host',
    granted: 'Frei\u00adgaben',
    accepted: 'Fort\u00adgefahren',
    rejected: 'Falsche Codes',
    lockedOut: 'Aus\u00adsper\u00adrungen',
    switch: 'Schalter',
    on: 'Ein',
    off: 'Aus',
    alone: 'Nur hier',
    hosts: 'Häufigste Hosts',
    user: 'Benutzer',
    client: 'Gerät',
    group: 'Gruppe',
  },
  days: {
    heading: 'Nach Tag',
    headingWeeks: 'Nach Woche',
    meaning:
      'Jede Säule ist ein Tag: die Anfragen, die gesperrt, mit einer Warnung oder mit der Richtlinie beantwortet wurden.',
    meaningWeeks: 'Jede Säule ist eine Woche; angegeben ist ihr Montag.',
    summary: (day, requests) => `Angehaltene Anfragen nach Tag. Die meisten waren es am ${day}: ${requests}.`,
    summaryWeeks: (day, requests) =>
      `Angehaltene Anfragen nach Woche. Die meisten waren es in der Woche vom ${day}: ${requests}.`,
    changedClocks: (hours) => `Zeitumstellung: Dieser Tag hat ${hours}.`,
  },
  week: {
    heading: 'Nach Wochentag und Stunde',
    meaning:
      'Je kräftiger ein Feld, desto mehr Anfragen wurden in dieser Stunde angehalten, über alle Wochen des Zeitraums summiert.',
    summary: (weekday, hour, requests) =>
      `Angehaltene Anfragen nach Wochentag und Stunde. Die meisten waren es am ${weekday} um ${hour}: ${requests}.`,
    busiest: (time, requests) => `Die Stunde mit den meisten angehaltenen Anfragen begann am ${time}: ${requests}.`,
  },
  categories: { heading: 'Kategorien', meaning: 'Angehaltene Anfragen nach der Kategorie der Regel, die sie anhielt.' },
  rules: {
    heading: 'Regeln',
    meaning: 'Angehaltene Anfragen nach Regel. „default“ steht für alles, was keine Regel nennt.',
  },
  lists: {
    heading: 'Listen',
    meaning:
      'Angehaltene Anfragen nach der Liste, die den Host enthält. „keine“ steht für das, was Regeln selbst nennen.',
  },
  hosts: { heading: 'Hosts', meaning: 'Die am häufigsten angehaltenen Hosts mit Regel und Liste.' },
  acts: { heading: 'Wie darauf reagiert wurde' },
  acknowledgements: {
    heading: 'Bestätigungen',
    meaning:
      '„Fortgefahren“ zählt Besucher, die nach einer Warnung, einer Richtlinie oder einem Code weitergingen. Auf zu viele falsche Codes folgt eine Aussperrung.',
  },
  permissions: {
    heading: 'Freigaben',
    meaning: 'Hosts, die vorübergehend geöffnet wurden, und wie viele Anfragen an sie im Zeitraum angehalten wurden.',
  },
  switches: { heading: 'Schalter', meaning: 'Wie oft Schalter ein- und vor ihrer Zeit ausgeschaltet wurden.' },
  overBlocking: {
    heading: 'Was womöglich zu viel anhält',
    causes: {
      heading: 'Regeln und Listen, die umgangen werden mussten',
      meaning:
        '„Freigaben“ zählt die Freigaben für Hosts, die diese Regel oder Liste anhielt, „Fortgefahren“ die Besucher, die danach weitergingen, und „Angehalten“ alle Anfragen, die sie anhielt.',
      unknown: 'im Zeitraum nicht angehalten',
      withoutHosts: 'nicht bekannt, weil das Journal keine Hosts speichert',
      cut: (acknowledgements, hosts) =>
        `Gezählt sind hier nur die neuesten ${acknowledgements} Bestätigungen und die ${hosts} Hosts mit den meisten Freigaben.`,
    },
    lists: {
      heading: 'Listen, die zuerst zu prüfen sind',
      meaning:
        '„Nur hier“ zählt Anfragen an Hosts, die keine andere geladene Liste und keine Regel mit einer Kategorie nennt. Der Anteil bezieht sich auf die 100 häufigsten Hosts der Liste.',
      unloaded: 'nicht mehr geladen',
    },
  },
  people: {
    heading: 'Personen',
    meaning:
      'Wer am häufigsten angehalten wurde. Ein Name, der mit ~ beginnt, ist ein Pseudonym: Für wen es steht, wird hier nicht gezeigt.',
    users: 'Benutzer',
    clients: 'Geräte',
    groups: 'Gruppen',
  },
  kept: (days, personDays) =>
    `Speicherdauer im Journal: angehaltene Anfragen ${days}, Namen und Adressen von Personen ${personDays}. Pfade und Inhalte von Seiten werden nie gespeichert.`,
}
