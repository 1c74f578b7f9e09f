// The report's texts in English. Their shape is the type of all catalogues. Numbers, dates and durations are already formatted.

export const en = {
  title: 'Gateway report',
  heading: 'What was stopped',
  period: (from: string, to: string, zone: string) => `From ${from} to ${to}, time zone ${zone}.`,
  made: (time: string) => `Made on ${time}.`,
  nothing: 'Nothing was stopped in this period.',
  none: 'None in this period.',
  noName: 'none',
  forgotten: (days: string) => `The journal keeps ${days}. What happened earlier is missing here and counts as 0.`,
  noHosts: 'The journal keeps no hosts ([journal] hosts = false), so that hosts and doubtful lists are missing here.',
  others: (entries: string) => `${entries} others`,
  showTable: 'Table',
  figures: {
    heading: 'Totals',
    stopped: 'Stopped requests',
    stoppedShare: (share: string) => `${share} of all decisions`,
    allowed: 'Allowed requests',
    allowedNote: 'as far as the engine was asked',
    acknowledged: 'Acknowledgements',
    acknowledgedNote: 'visitors who continued',
    rejected: 'Wrong codes',
    lockedOut: 'Lockouts',
    lockedOutNote: 'after too many wrong codes',
    permissions: 'Permissions',
    permissionsNote: 'hosts opened for a time',
    lessonCodes: 'Lesson codes',
  },
  verdicts: { block: 'Blocked', warn: 'Warned', aup: 'Policy shown', allow: 'Allowed' },
  columns: {
    day: 'Day',
    week: 'Week',
    hour: 'Hour',
    stopped: 'Stopped',
    requests: 'Requests',
    share: 'Share',
    category: 'Category',
    rule: 'Rule',
    list: 'List',
    host: 'Host',
    granted: 'Permis\u00adsions',
    accepted: 'Continued',
    rejected: 'Wrong codes',
    lockedOut: 'Lockouts',
    switch: 'Switch',
    on: 'On',
    off: 'Off',
    alone: 'Only here',
    hosts: 'Most frequent hosts',
    user: 'User',
    client: 'Client',
    group: 'Group',
  },
  days: {
    heading: 'By day',
    headingWeeks: 'By week',
    meaning: 'Each column is one day: the requests that were blocked, warned about, or answered with the policy.',
    meaningWeeks: 'Each column is one week, named after its Monday.',
    summary: (day: string, requests: string) => `Stopped requests by day. Most of them on ${day}: ${requests}.`,
    summaryWeeks: (day: string, requests: string) =>
      `Stopped requests by week. Most of them in the week of ${day}: ${requests}.`,
    changedClocks: (hours: string) => `The clocks changed: this day has ${hours}.`,
  },
  week: {
    heading: 'By weekday and hour',
    meaning:
      'The stronger a field’s colour, the more requests were stopped at this hour, summed over all weeks of the period.',
    summary: (weekday: string, hour: string, requests: string) =>
      `Stopped requests by weekday and hour. Most of them on ${weekday} at ${hour}: ${requests}.`,
    busiest: (time: string, requests: string) =>
      `The busiest hour began on ${time}: ${requests} requests were stopped.`,
  },
  categories: { heading: 'Categories', meaning: 'Stopped requests by the category of the rule that stopped them.' },
  rules: { heading: 'Rules', meaning: 'Stopped requests by rule; “default” is what no rule mentions.' },
  lists: {
    heading: 'Lists',
    meaning: 'Stopped requests by the list that has the host; “none” is what rules name themselves.',
  },
  hosts: { heading: 'Hosts', meaning: 'The hosts that were stopped most often, with the rule and the list.' },
  acts: { heading: 'What people did about it' },
  acknowledgements: {
    heading: 'Acknowledgements',
    meaning:
      '“Continued” counts visitors who went on after a warning, a policy or a code; a lockout follows too many wrong codes.',
  },
  permissions: {
    heading: 'Permissions',
    meaning: 'Hosts that administrators opened for a time, and how many requests for them were stopped in the period.',
  },
  switches: { heading: 'Switches', meaning: 'How often switches were turned on, and turned off before their time.' },
  overBlocking: {
    heading: 'What may stop too much',
    causes: {
      heading: 'Rules and lists that people had to get past',
      meaning:
        '“Permissions” counts those granted for hosts that the rule or list stopped, “continued” the visitors who went on after it stopped them, and “stopped” all the requests that it stopped.',
      unknown: 'not stopped in this period',
      withoutHosts: 'not known, because the journal keeps no hosts',
      cut: (acknowledgements: string, hosts: string) =>
        `Counted here are only the newest ${acknowledgements} acknowledgements and the ${hosts} hosts with most permissions.`,
    },
    lists: {
      heading: 'Lists to doubt first',
      meaning:
        '“Only here” counts requests for hosts that no other loaded list and no rule with a category names; the share is that of the list’s 100 most frequent hosts.',
      unloaded: 'no longer loaded',
    },
  },
  people: {
    heading: 'People',
    meaning:
      'Who was stopped most often. A name that begins with ~ is a pseudonym: whom it stands for is not shown here.',
    users: 'Users',
    clients: 'Clients',
    groups: 'Groups',
  },
  kept: (days: string, personDays: string) =>
    `The journal keeps stopped requests for ${days}, and the names and addresses of people for ${personDays}. It never keeps paths or contents of pages.`,
}

export type Texts = typeof en
