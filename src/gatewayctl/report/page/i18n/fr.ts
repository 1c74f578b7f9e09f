// The report's texts in French.
import type { Texts } from './en.ts'

export const fr: Texts = {
  title: 'Rapport de la passerelle',
  heading: 'Ce qui a été arrêté',
  period: (from, to, zone) => `Du ${from} au ${to}, fuseau horaire ${zone}.`,
  made: (time) => `Établi le ${time}.`,
  nothing: 'Rien n’a été arrêté pendant cette période.',
  none: 'Aucun élément pendant cette période.',
  noName: 'aucune',
  forgotten: (days) => `Le journal remonte à ${days}. Ce qui précède manque ici et compte pour 0.`,
  noHosts:
    'Le journal ne conserve pas les hôtes ([journal] hosts = false)\u00a0: les hôtes et les listes douteuses manquent donc ici.',
  others: (entries) => `${entries} autres`,
  showTable: 'Tableau',
  figures: {
    heading: 'Totaux',
    stopped: 'Requêtes arrêtées',
    stoppedShare: (share) => `${share} de toutes les décisions`,
    allowed: 'Requêtes autorisées',
    allowedNote: 'pour autant que le moteur ait été consulté',
    acknowledged: 'Confirmations',
    acknowledgedNote: 'visiteurs qui ont continué',
    rejected: 'Codes erronés',
    lockedOut: 'Verrouillages',
    lockedOutNote: 'après trop de codes erronés',
    permissions: 'Autorisations',
    permissionsNote: 'hôtes ouverts temporairement',
    lessonCodes: 'Codes de cours',
  },
  verdicts: { block: 'Bloquées', warn: 'Avertissements', aup: 'Charte affichée', allow: 'Autorisées' },
  columns: {
    day: 'Jour',
    week: 'Semaine',
    hour: 'Heure',
    stopped: 'Arrêtées',
    requests: 'Requêtes',
    share: 'Part',
    category: 'Catégorie',
    rule: 'Règle',
    list: 'Liste',
    host: 'Hôte',
    granted: 'Autori\u00adsations',
    accepted: 'Pour\u00adsuites',
    rejected: 'Codes erronés',
    lockedOut: 'Verrouil\u00adlages',
    switch: 'Commutateur',
    on: 'Activé',
    off: 'Désactivé',
    alone: 'Ici seule\u00adment',
    hosts: 'Hôtes les plus fréquents',
    user: 'Utilisateur',
    client: 'Appareil',
    group: 'Groupe',
  },
  days: {
    heading: 'Par jour',
    headingWeeks: 'Par semaine',
    meaning:
      'Chaque colonne est un jour\u00a0: les requêtes bloquées, ou auxquelles a répondu un avertissement ou la charte.',
    meaningWeeks: 'Chaque colonne est une semaine, désignée par son lundi.',
    summary: (day, requests) => `Requêtes arrêtées par jour. Maximum le ${day}\u00a0: ${requests}.`,
    summaryWeeks: (day, requests) => `Requêtes arrêtées par semaine. Maximum la semaine du ${day}\u00a0: ${requests}.`,
    changedClocks: (hours) => `Changement d’heure\u00a0: ce jour compte ${hours}.`,
  },
  week: {
    heading: 'Par jour de la semaine et par heure',
    meaning:
      'Plus la couleur d’une case est soutenue, plus il y a eu de requêtes arrêtées à cette heure, toutes semaines de la période confondues.',
    summary: (weekday, hour, requests) =>
      `Requêtes arrêtées par jour de la semaine et par heure. Maximum le ${weekday} à ${hour}\u00a0: ${requests}.`,
    busiest: (time, requests) => `L’heure la plus chargée a commencé le ${time}\u00a0: ${requests} requêtes arrêtées.`,
  },
  categories: {
    heading: 'Catégories',
    meaning: 'Requêtes arrêtées, selon la catégorie de la règle qui les a arrêtées.',
  },
  rules: {
    heading: 'Règles',
    meaning: 'Requêtes arrêtées par règle\u00a0; «\u00a0default\u00a0» désigne ce qu’aucune règle ne mentionne.',
  },
  lists: {
    heading: 'Listes',
    meaning:
      'Requêtes arrêtées, selon la liste qui contient l’hôte\u00a0; «\u00a0aucune\u00a0» désigne ce que les règles nomment elles-mêmes.',
  },
  hosts: { heading: 'Hôtes', meaning: 'Les hôtes le plus souvent arrêtés, avec la règle et la liste.' },
  acts: { heading: 'Les réactions' },
  acknowledgements: {
    heading: 'Confirmations',
    meaning:
      '«\u00a0Poursuites\u00a0» compte les visiteurs qui ont continué après un avertissement, la charte ou un code\u00a0; trop de codes erronés entraînent un verrouillage.',
  },
  permissions: {
    heading: 'Autorisations',
    meaning: 'Hôtes ouverts temporairement, et nombre de requêtes arrêtées vers eux pendant la période.',
  },
  switches: {
    heading: 'Commutateurs',
    meaning: 'Nombre de fois où les commutateurs ont été activés, et désactivés avant l’heure.',
  },
  overBlocking: {
    heading: 'Ce qui arrête peut-être trop',
    causes: {
      heading: 'Règles et listes qu’il a fallu contourner',
      meaning:
        '«\u00a0Autorisations\u00a0» compte celles accordées pour des hôtes que la règle ou la liste a arrêtés, «\u00a0Poursuites\u00a0» les visiteurs qui ont continué ensuite, et «\u00a0Arrêtées\u00a0» toutes les requêtes qu’elle a arrêtées.',
      unknown: 'pas arrêté pendant la période',
      withoutHosts: 'inconnu, car le journal ne conserve pas les hôtes',
      cut: (acknowledgements, hosts) =>
        `Ne sont comptés ici que les ${acknowledgements} confirmations les plus récentes et les ${hosts} hôtes ayant le plus d’autorisations.`,
    },
    lists: {
      heading: 'Listes à vérifier en premier',
      meaning:
        '«\u00a0Ici seulement\u00a0» compte les requêtes vers des hôtes qu’aucune autre liste chargée ni aucune règle avec catégorie ne nomme\u00a0; la part se rapporte aux 100 hôtes les plus fréquents de la liste.',
      unloaded: 'plus chargée',
    },
  },
  people: {
    heading: 'Personnes',
    meaning:
      'Qui a été arrêté le plus souvent. Un nom qui commence par ~ est un pseudonyme\u00a0: la personne qu’il désigne n’est pas indiquée ici.',
    users: 'Utilisateurs',
    clients: 'Appareils',
    groups: 'Groupes',
  },
  kept: (days, personDays) =>
    `Durées de conservation dans le journal\u00a0: ${days} pour les requêtes arrêtées, ${personDays} pour les noms et adresses des personnes. Les chemins et le contenu des pages ne sont jamais conservés.`,
}
