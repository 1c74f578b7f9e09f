// The report's texts in Italian.
import type { Texts } from './en.ts'

export const it: Texts = {
  title: 'Rapporto del gateway',
  heading: 'Che cosa è stato fermato',
  period: (from, to, zone) => `Dal ${from} al ${to}, fuso orario ${zone}.`,
  made: (time) => `Creato il ${time}.`,
  nothing: 'In questo periodo non è stato fermato nulla.',
  none: 'Nessun elemento in questo periodo.',
  noName: 'nessuna',
  forgotten: (days) => `Il registro risale a ${days} fa. Quanto precede manca qui e conta come 0.`,
  noHosts:
    'Il registro non conserva gli host ([journal] hosts = false): mancano perciò gli host e le liste da verificare.',
  others: (entries) => `Altri ${entries}`,
  showTable: 'Tabella',
  figures: {
    heading: 'Totali',
    stopped: 'Richieste fermate',
    stoppedShare: (share) => `${share} di tutte le decisioni`,
    allowed: 'Richieste consentite',
    allowedNote: 'per quanto il motore è stato interpellato',
    acknowledged: 'Conferme',
    acknowledgedNote: 'visitatori che hanno proseguito',
    rejected: 'Codici errati',
    lockedOut: 'Blocchi',
    lockedOutNote: 'dopo troppi codici errati',
    permissions: 'Autorizzazioni',
    permissionsNote: 'host aperti per un periodo',
    lessonCodes: 'Codici per la lezione',
  },
  verdicts: { block: 'Bloccate', warn: 'Con avviso', aup: 'Norme mostrate', allow: 'Consentite' },
  columns: {
    day: 'Giorno',
    week: 'Settimana',
    hour: 'Ora',
    stopped: 'Fermate',
    requests: 'Richieste',
    share: 'Quota',
    category: 'Categoria',
    rule: 'Regola',
    list: 'Lista',
    host: 'Host',
    granted: 'Autoriz\u00adzazioni',
    accepted: 'Prose\u00adguiti',
    rejected: 'Codici errati',
    lockedOut: 'Blocchi',
    switch: 'Interruttore',
    on: 'Attivato',
    off: 'Disattivato',
    alone: 'Solo qui',
    hosts: 'Host più frequenti',
    user: 'Utente',
    client: 'Dispositivo',
    group: 'Gruppo',
  },
  days: {
    heading: 'Per giorno',
    headingWeeks: 'Per settimana',
    meaning: 'Ogni colonna è un giorno: le richieste bloccate, o a cui è seguito un avviso o la pagina con le norme.',
    meaningWeeks: 'Ogni colonna è una settimana, indicata con il suo lunedì.',
    summary: (day, requests) => `Richieste fermate per giorno. Il massimo è di ${day}: ${requests}.`,
    summaryWeeks: (day, requests) =>
      `Richieste fermate per settimana. Il massimo è nella settimana del ${day}: ${requests}.`,
    changedClocks: (hours) => `Cambio dell’ora: questo giorno ha ${hours}.`,
  },
  week: {
    heading: 'Per giorno della settimana e ora',
    meaning:
      'Più intenso è il colore di un campo, più richieste sono state fermate a quell’ora, sommando tutte le settimane del periodo.',
    summary: (weekday, hour, requests) =>
      `Richieste fermate per giorno della settimana e ora. Massimo di ${weekday} alle ${hour}: ${requests}.`,
    busiest: (time, requests) => `L’ora con più richieste fermate è iniziata ${time}: ${requests}.`,
  },
  categories: {
    heading: 'Categorie',
    meaning: 'Richieste fermate secondo la categoria della regola che le ha fermate.',
  },
  rules: {
    heading: 'Regole',
    meaning: 'Richieste fermate per regola; «default» indica ciò che nessuna regola menziona.',
  },
  lists: {
    heading: 'Liste',
    meaning:
      'Richieste fermate secondo la lista che contiene l’host; «nessuna» indica ciò che le regole nominano direttamente.',
  },
  hosts: { heading: 'Host', meaning: 'Gli host fermati più spesso, con la regola e la lista.' },
  acts: { heading: 'Come si è reagito' },
  acknowledgements: {
    heading: 'Conferme',
    meaning:
      '«Proseguiti» conta i visitatori che sono andati avanti dopo un avviso, le norme o un codice; dopo troppi codici errati l’accesso viene bloccato per un po’.',
  },
  permissions: {
    heading: 'Autorizzazioni',
    meaning: 'Host aperti per un periodo, e quante richieste verso di essi sono state fermate nel periodo.',
  },
  switches: {
    heading: 'Interruttori',
    meaning: 'Quante volte gli interruttori sono stati attivati, e disattivati prima del termine.',
  },
  overBlocking: {
    heading: 'Che cosa forse ferma troppo',
    causes: {
      heading: 'Regole e liste che si sono dovute aggirare',
      meaning:
        '«Autorizzazioni» conta quelle concesse per host fermati dalla regola o dalla lista, «Proseguiti» i visitatori che sono poi andati avanti, e «Fermate» tutte le richieste fermate.',
      unknown: 'non fermato nel periodo',
      withoutHosts: 'non noto, perché il registro non conserva gli host',
      cut: (acknowledgements, hosts) =>
        `Qui sono contati solo le ${acknowledgements} conferme più recenti e i ${hosts} host con più autorizzazioni.`,
    },
    lists: {
      heading: 'Liste da verificare per prime',
      meaning:
        '«Solo qui» conta le richieste verso host che nessun’altra lista caricata e nessuna regola con una categoria nomina; la quota si riferisce ai 100 host più frequenti della lista.',
      unloaded: 'non più caricata',
    },
  },
  people: {
    heading: 'Persone',
    meaning:
      'Chi è stato fermato più spesso. Un nome che inizia con ~ è uno pseudonimo: la persona che indica non è riportata qui.',
    users: 'Utenti',
    clients: 'Dispositivi',
    groups: 'Gruppi',
  },
  kept: (days, personDays) =>
    `Conservazione nel registro: richieste fermate ${days}, nomi e indirizzi delle persone ${personDays}. I percorsi e i contenuti delle pagine non vengono mai conservati.`,
}
