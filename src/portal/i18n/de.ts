// The German catalogue. The operator is always in the accusative (“an …”), which suits both the fallback and any name.
// In words that are wider than a phone, \u00ad marks possible line breaks.
import { html } from '../html/html.ts'
import type { Messages } from './en.ts'

export const de: Messages = {
  topbar: {
    language: 'Sprache',
    dark: 'Dunkle Ansicht',
    skip: 'Zum Inhalt springen',
    preview: 'Vorschau mit Beispieldaten: Nichts davon ist echt.',
  },
  footer: {
    privacy: 'Datenschutzhinweise',
    certificate: 'Zertifikat',
    support: 'Support kontaktieren',
  },
  operator: {
    fallback: 'Ihre Netzwerkadministration',
  },
  details: {
    heading: 'Details',
    site: 'Aufgerufene Adresse',
    rule: 'Regel',
    category: 'Kategorie',
    reference: 'Referenz',
    time: 'Zeitpunkt',
    version: 'Portalversion',
    labelled: (label: string, value: string) => `${label}: ${value}`,
    copy: 'Details kopieren',
    copied: 'Kopiert',
    selected: 'Markiert: Kopieren Sie den Text mit der Tastatur oder über das Menü.',
    shortened: 'Die Adresse wurde gekürzt.',
  },
  certificateError: {
    question: 'Warum erschien ein Zertifikatsfehler?',
    answer:
      'Um verschlüsselte Verbindungen zu prüfen, verwendet das Gateway eigene Zertifikate. Ein Gerät, das deren Aussteller nicht kennt, kann das Gateway nicht von einem Angreifer unterscheiden und meldet einen Fehler. Nehmen Sie einen solchen Fehler in jedem anderen Netzwerk ernst.',
    setUp: 'Dieses Gerät einrichten',
  },
  block: {
    title: 'Seite gesperrt',
    heading: 'Diese Seite ist gesperrt',
    noReason: 'Die Regeln dieses Netzwerks lassen den Aufruf nicht zu.',
    next: (operator) =>
      html`Von hier aus geht es nicht weiter. Wenn Sie dies für einen Irrtum halten, wenden Sie sich an ${operator} und geben Sie die folgenden Details an.`,
  },
  warn: {
    title: 'Warnung zu dieser Seite',
    heading: 'Vorsicht bei dieser Seite',
    noReason: 'Die Regeln dieses Netzwerks raten vom Aufruf ab.',
    next: 'Sie können fortfahren, wenn Sie die Website kennen und benötigen. Das Gateway zeichnet Ihre Entscheidung auf.',
    proceed: 'Trotzdem fortfahren',
    terminal: (operator) =>
      html`Von hier aus geht es nicht weiter. Wenn Sie diese Seite benötigen, wenden Sie sich an ${operator} und geben Sie die folgenden Details an.`,
  },
  aup: {
    title: 'Nutzungsrichtlinie',
    heading: 'Bitte lesen Sie dies zuerst',
    noReason: 'Die Regeln dieses Netzwerks verlangen vorher Ihre Zustimmung.',
    policyHeading: 'Nutzungsrichtlinie',
    accept: 'Akzeptieren und fortfahren',
    byContinuing: 'Wenn Sie fortfahren, akzeptieren Sie diese Nutzungsrichtlinie. Ihre Zustimmung wird aufgezeichnet.',
    byUnlocking:
      'Wenn Sie die Seite entsperren, akzeptieren Sie diese Nutzungsrichtlinie. Ihre Zustimmung wird aufgezeichnet.',
    toCode: 'Code eingeben',
    terminal: (operator) =>
      html`Diese Nutzungsrichtlinie lässt sich hier nicht akzeptieren. Wenn Sie diese Seite benötigen, wenden Sie sich an ${operator} und geben Sie die folgenden Details an.`,
    policy: {
      introduction:
        'Dieses Netzwerk steht für Arbeit, Ausbildung und die Aufgaben bereit, für die es eingerichtet wurde. Wer es nutzt, stimmt den folgenden Regeln zu.',
      rules: [
        'Halten Sie sich an das Gesetz. Was verboten ist, darf weder aufgerufen noch geteilt oder gespeichert werden.',
        'Respektieren Sie andere. Belästigungen, Drohungen und herabwürdigende Inhalte sind nicht erlaubt.',
        'Schützen Sie Konten und Geräte. Behalten Sie Passwörter für sich und umgehen Sie weder Filter noch Sicherheitseinstellungen.',
        'Verarbeiten Sie vertrauliche und personenbezogene Daten nur dort, wo Sie dazu berechtigt sind.',
        'Nutzen Sie das Netzwerk rücksichtsvoll, damit es für alle gut funktioniert.',
        'Der Webzugriff wird gefiltert. Anfragen können protokolliert werden, um das Netzwerk zu schützen und Missbrauch nachzugehen.',
      ],
      conclusion:
        'Verstöße gegen diese Regeln können zum Verlust des Zugangs führen. Wenn etwas unklar ist, fragen Sie bitte nach, bevor Sie fortfahren.',
    },
  },
  clickHeld: 'Der Klick kam zu früh. Klicken Sie noch einmal.',
  override: {
    pin: 'PIN',
    passphrase: 'Kennwort',
    explanation: 'Diese Seite lässt sich mit einem Code öffnen.',
    digit: (place, length) => `Ziffer ${place} von ${length}`,
    show: 'Anzeigen',
    unlock: 'Entsperren',
    needsScript:
      'Der Code lässt sich nur mit aktiviertem JavaScript eingeben. Schalten Sie es ein und laden Sie diese Seite neu.',
    incomplete: 'Bitte geben Sie den vollständigen Code ein.',
    wrong: 'Der Code ist nicht richtig.',
    attemptsLeft: { one: 'Noch {n} Versuch.', other: 'Noch {n} Versuche.' },
    lockOver: 'Sie können es jetzt erneut versuchen.',
    trouble: 'Das Gateway hat nicht geantwortet. Ihr Code wurde nicht abgelehnt: Versuchen Sie es gleich noch einmal.',
    unlocked: 'Entsperrt.',
    goOn: 'Weiter zur Seite',
  },
  outcome: {
    wayBack: 'Adresse erneut öffnen',
    ask: (operator) => html`Wenn das Problem bestehen bleibt, wenden Sie sich an ${operator}.`,
    notFound: {
      title: 'Seite nicht gefunden',
      text: 'Unter dieser Adresse ist nichts zu finden.',
      advice: 'Öffnen Sie die gewünschte Website erneut. Wenn das Gateway den Zugriff sperrt, erfahren Sie den Grund.',
    },
    methodNotAllowed: {
      title: 'So nicht möglich',
      text: 'Diese Adresse lässt sich nur abrufen.',
      advice: 'Öffnen Sie die gewünschte Website erneut.',
    },
    tooLong: {
      title: 'Adresse zu lang',
      text: 'Die Adresse dieser Seite ist länger, als das Gateway erlaubt.',
      advice: 'Öffnen Sie die gewünschte Website erneut.',
    },
    malformed: {
      title: 'Adresse unvollständig',
      text: 'Die Adresse dieser Seite ist unvollständig oder wurde verändert.',
      advice: 'Öffnen Sie die gewünschte Website direkt, nicht über eine kopierte oder gespeicherte Adresse.',
    },
    wrongVersion: {
      title: 'Versionen passen nicht zusammen',
      text: 'Das Gateway und dieses Portal verwenden unterschiedliche Versionen.',
      advice: 'Sie können dies nicht selbst beheben.',
    },
    invalid: {
      title: 'Adresse ungültig',
      text: 'Diese Adresse stammt nicht vom Gateway oder wurde unterwegs verändert.',
      advice: 'Öffnen Sie die gewünschte Website direkt, nicht über eine kopierte oder gespeicherte Adresse.',
    },
    expired: {
      title: 'Dieser Link ist abgelaufen',
      text: 'Die Seiten des Gateways sind nur wenige Minuten gültig.',
      advice: 'Öffnen Sie die gewünschte Website erneut, um einen neuen Link zu erhalten.',
    },
    contentBlocked: {
      title: 'Inhalt gesperrt',
      text: (operator) =>
        html`Dieser Inhalt ist in diesem Netzwerk gesperrt; bei Fragen wenden Sie sich an ${operator}.`,
    },
    acknowledgementOff: {
      title: 'Fortfahren ist hier nicht möglich',
      text: 'Dieses Portal leitet keine Bestätigungen weiter.',
      advice: 'Sie können dies nicht selbst beheben.',
    },
    acknowledgementElsewhere: {
      title: 'Nicht von dieser Seite aus',
      text: 'Fortfahren können Sie nur auf der Seite des Gateways selbst.',
      advice: 'Öffnen Sie die gewünschte Website erneut und verwenden Sie dort die Schaltfläche.',
    },
    acknowledgementPrefetch: {
      title: 'Nicht im Voraus geladen',
      text: 'Dieser Schritt wartet darauf, dass jemand die Schaltfläche betätigt.',
      advice: 'Öffnen Sie die gewünschte Website erneut und verwenden Sie dort die Schaltfläche.',
    },
    acknowledgementExpired: {
      title: 'Es ist zu viel Zeit vergangen',
      text: 'Das Gateway nimmt diese Bestätigung nicht mehr an.',
      advice: 'Öffnen Sie die Website erneut, um eine neue Seite zu erhalten.',
    },
    acknowledgementRefused: {
      title: 'Nicht angenommen',
      text: 'Das Gateway hat diese Bestätigung nicht angenommen.',
      advice: 'Öffnen Sie die Website erneut, um eine neue Seite zu erhalten.',
    },
    codeMalformed: {
      title: 'Der Code war nicht verwendbar',
      text: 'Der Code fehlt, wurde nicht erwartet oder ist nicht lesbar.',
      advice: 'Öffnen Sie die Website erneut und geben Sie den Code auf der Seite ein, die danach fragt.',
    },
    codeRejected: {
      title: 'Der Code ist nicht richtig',
      text: 'Das Gateway hat den Code nicht angenommen.',
      advice: 'Öffnen Sie die Website erneut und geben Sie den Code noch einmal ein.',
    },
    lockedOut: {
      title: 'Zu viele Versuche',
      text: 'In kurzer Zeit gab es zu viele Versuche.',
      advice: (time) => `Sie können es in ${time} erneut versuchen.`,
    },
    engineUnreachable: {
      title: 'Das Gateway hat nicht richtig geantwortet',
      text: 'Ihre Entscheidung konnte nicht weitergeleitet werden. Das lag nicht an Ihnen.',
      advice: 'Versuchen Sie es gleich noch einmal.',
    },
    engineTooSlow: {
      title: 'Das Gateway hat zu lange gebraucht',
      text: 'Ihre Entscheidung wurde weitergeleitet, aber es kam nicht rechtzeitig eine Antwort.',
      advice: 'Versuchen Sie es gleich noch einmal.',
    },
    recordUnavailable: {
      title: 'Ihre Zustimmung konnte nicht aufgezeichnet werden',
      text: 'Ohne diese Aufzeichnung geht es nicht weiter. An das Gateway wurde nichts weitergeleitet.',
      advice: 'Versuchen Sie es gleich noch einmal.',
    },
    overloaded: {
      title: 'Zurzeit überlastet',
      text: 'Es kommen mehr Anfragen an, als beantwortet werden können.',
      advice: 'Versuchen Sie es in einigen Sekunden noch einmal.',
    },
    superseded: {
      title: 'Sie haben mehrmals bestätigt',
      text: 'Nur Ihr letzter Klick wird an das Gateway weitergeleitet. Ein neuerer, vielleicht in einem anderen Fenster, hat diesen ersetzt.',
      advice: 'Wechseln Sie in das andere Fenster oder versuchen Sie es noch einmal.',
    },
    internal: {
      title: 'Hier ist etwas schiefgelaufen',
      text: 'Der Fehler liegt beim Portal, nicht bei Ihnen.',
      advice: 'Versuchen Sie es gleich noch einmal.',
    },
  },
  certificate: {
    title: 'Zertifikat installieren',
    heading: 'Zertifikat dieses Netzwerks installieren',
    why: 'Das Gateway dieses Netzwerks prüft auch verschlüsselte Verbindungen. Geräte ohne sein Zertifikat zeigen statt der Websites Warnungen an.',
    care: 'Installieren Sie es nur auf Geräten, die Sie in diesem Netzwerk verwenden. Das Gateway kann damit lesen, was diese über verschlüsselte Verbindungen senden und empfangen.',
    signInSheet:
      'Dieses Fenster wurde für die Anmeldung oder von einer App geöffnet und kann keine Zertifikate installieren. Kopieren Sie diese Adresse und öffnen Sie sie in Ihrem Browser, auf einem iPhone oder iPad in Safari.',
    plainHttp:
      'Diese Seite kam über eine unverschlüsselte Verbindung: Niemand kann für ihre Echtheit bürgen. Vergleichen Sie vor der Installation den SHA-256-Fingerabdruck mit dem, den Sie auf anderem Weg erhalten haben, etwa auf Papier oder am Telefon.',
    toFingerprints: 'Fingerabdrücke anzeigen',
    expiring: (date, days) =>
      `Dieses Zertifikat läuft am ${date} ab (noch ${days}). Danach muss ein neues installiert werden.`,
    copy: 'Kopieren',
    copied: 'Kopiert',
    trust: {
      heading: 'Ist es schon installiert?',
      testing: 'Test läuft\u00a0…',
      trusted:
        'Vertrauenswürdig: Dieser Browser akzeptiert das Zertifikat. Sofern Sie nicht früher eine Warnung zu diesem Portal übergangen haben, ist hier nichts mehr zu tun.',
      untrusted:
        'Noch nicht vertrauenswürdig: Dieser Browser akzeptiert das Zertifikat nicht. Folgen Sie den Schritten unten, starten Sie den Browser bei Bedarf neu und testen Sie erneut.',
      overHttps:
        'Über eine verschlüsselte Verbindung lässt sich das nicht feststellen, weil Sie vielleicht eine Warnung übergangen haben. Gab es keine, ist das Zertifikat vertrauenswürdig. Um sicherzugehen, öffnen Sie diese Adresse:',
      otherAddress:
        'Unter dieser Adresse lässt sich das nicht feststellen. Öffnen Sie zum Testen die folgende Adresse:',
      noAnswer: 'Nicht festzustellen: Das Portal hat nicht rechtzeitig geantwortet. Testen Sie gleich noch einmal.',
      test: 'Erneut testen',
    },
    install: {
      heading: 'Installieren',
      thisDevice: 'dieses Gerät',
      download: 'Zertifikat herunterladen',
      checked: (month) => `Schritte geprüft im ${month}.`,
      ios: [
        'Laden Sie die Datei in Safari herunter und lassen Sie den Download zu.',
        'Öffnen Sie innerhalb von 8 Minuten Einstellungen › Profil geladen oder Einstellungen › Allgemein › VPN und Geräteverwaltung. Es kann immer nur ein Profil warten.',
        'Tippen Sie auf „Installieren“, geben Sie den Code ein und tippen Sie noch einmal auf „Installieren“.',
        (name) =>
          html`Dieser Schritt wird leicht übersehen: Öffnen Sie Einstellungen › Allgemein › Info › Zertifikats\u00advertrauens\u00adeinstellungen und schalten Sie ${name} ein.`,
      ],
      android: [
        'Laden Sie die Datei herunter. Öffnen allein genügt nicht: Die Datei muss in den Einstellungen ausgewählt werden.',
        'Suchen Sie in den Einstellungen nach „CA-Zertifikat“. Falls nichts erscheint: Sicherheit › Mehr › Verschlüsselung und Anmeldedaten › Zertifikat installieren › CA-Zertifikat. Gemeint ist weder das für VPN und Apps noch das für WLAN.',
        'Tippen Sie auf „Trotzdem installieren“, entsperren Sie den Bildschirm und wählen Sie die Datei aus. Ist keine Displaysperre eingerichtet, verlangt das Gerät zuerst eine.',
      ],
      androidNote:
        'Ab Android 15 erscheint nach jedem Neustart eine Warnung, dass das Netzwerk überwacht werden kann. Browser akzeptieren das Zertifikat, die meisten anderen Apps beachten es nicht.',
      macos: [
        'Laden Sie die Datei herunter und öffnen Sie sie. Fügen Sie sie in der Schlüsselbundverwaltung dem Schlüsselbund „System“ hinzu.',
        (name) =>
          html`Suchen Sie dort ${name}, wählen Sie „Informationen“, öffnen Sie „Vertrauen“ und wählen Sie für dieses Zertifikat „Immer vertrauen“.`,
        'Schließen Sie das Fenster und geben Sie Ihr Passwort ein.',
      ],
      macosCommand: 'Oder im Terminal, das nach dem Passwort eines Administrators fragt:',
      windows: [
        'Laden Sie die Datei herunter, öffnen Sie sie und wählen Sie „Zertifikat installieren“.',
        'Wählen Sie „Lokaler Computer“ oder, ohne Administratorrechte, „Aktueller Benutzer“.',
        'Wählen Sie „Alle Zertifikate in folgendem Speicher speichern“ › Durchsuchen › Vertrauenswürdige Stammzertifizierungsstellen. Die automatische Auswahl legt es an der falschen Stelle ab.',
        'Wählen Sie „Weiter“, dann „Fertig stellen“, und bestätigen Sie.',
      ],
      windowsCommand: 'Oder in PowerShell, als Administrator geöffnet:',
      linux: [
        'Laden Sie die Datei herunter.',
        'Öffnen Sie ein Terminal in dem Ordner, in dem die Datei liegt, und führen Sie aus:',
      ],
      firefox:
        'Firefox hat unter Linux einen eigenen Speicher: Einstellungen › Datenschutz & Sicherheit › Zertifikate › Zertifikate anzeigen › Zertifizierungsstellen › Importieren. Wählen Sie die Datei und haken Sie das Feld für Websites an.',
      chrome:
        'Chrome unter Linux ebenso: Einstellungen › Datenschutz und Sicherheit › Sicherheit › Zertifikate verwalten › Lokale Zertifikate › Benutzerdefiniert, dort die selbst installierten, Importieren. Dorthin führt auch diese Adresse:',
    },
    details: {
      heading: 'Das Zertifikat',
      subject: 'Inhaber',
      fingerprint: (algorithm) => `${algorithm}-Fingerabdruck`,
      validFrom: 'Gültig ab',
      validUntil: 'Gültig bis',
      daysLeft: 'Verbleibende Tage',
    },
    next: {
      heading: 'Installieren Sie auch dieses',
      from: (date) =>
        `Ab dem ${date} verwendet das Gateway stattdessen dieses Zertifikat. Wenn Sie es jetzt schon installieren, bemerken Sie von der Umstellung nichts.`,
      since: (date) => `Seit dem ${date} verwendet das Gateway dieses Zertifikat. Installieren Sie es ebenfalls.`,
      sameSteps: 'Die Schritte sind dieselben. Setzen Sie in einem Befehl den Namen dieser Datei ein.',
    },
    elsewhere: {
      heading: 'Auf einem Telefon weitermachen',
      scan: 'Scannen Sie diesen Code mit der Kamera, oder geben Sie die Adresse ein:',
    },
  },
  privacy: {
    title: 'Datenschutzhinweise',
    introduction:
      'Diese Hinweise gelten für die Seiten, die das Gateway anzeigt, wenn es sperrt, warnt oder um Zustimmung bittet. Sie beschreiben, was diese Seiten verarbeiten und was gespeichert wird.',
    purpose: {
      heading: '1. Wozu diese Seiten dienen',
      text: 'Ein Gateway prüft Webanfragen anhand von Regeln. Greift eine Regel, wird Ihr Browser an dieses Portal geleitet. Es erklärt die Entscheidung und gibt, wo die Regel es erlaubt, Ihre Wahl an das Gateway weiter.',
    },
    processed: {
      heading: '2. Was zum Anzeigen einer Seite verarbeitet wird',
      text: 'Die aufgerufene Adresse, die angewandte Regel, ihre Kategorie und eine Referenznummer gelangen verschlüsselt in der Adresse der Seite zu diesem Portal. Sie werden Ihnen angezeigt; was davon gespeichert wird, steht in Abschnitt 3. Die Sprache der Seite richtet sich nach den Einstellungen Ihres Browsers. Wenn Sie fortfahren, werden die Netzwerkadresse Ihres Geräts und ein eingegebener Code an das Gateway weitergegeben; dieses Portal speichert den Code nie.',
    },
    recorded: {
      heading: '3. Was aufgezeichnet wird',
      log: 'Zu jeder Anfrage hält das Protokoll dieses Portals den Zeitpunkt, die Art der Seite, die Regel, das Ergebnis und die Referenznummer fest, nicht aber Ihren Namen, Ihre Netzwerkadresse oder den Code.',
      logWithDestination:
        'Zu jeder Anfrage hält das Protokoll dieses Portals den Zeitpunkt, die Art der Seite, die Regel, das Ergebnis und die Referenznummer fest, bei Entscheidungen des Gateways außerdem die aufgerufene Adresse, nicht aber Ihren Namen, Ihre Netzwerkadresse oder den Code.',
      acceptance:
        'Wenn Sie eine Nutzungsrichtlinie akzeptieren, wird Folgendes aufgezeichnet: die Referenznummer, die Regel, Version und Wortlaut der Richtlinie, ihre Sprache, ob Ihr Browser sie angezeigt hat, der Zeitpunkt, wie oft und mit welchem Ergebnis das Gateway angefragt wurde und die Version dieses Portals.',
      withoutAddress: 'Die Netzwerkadresse Ihres Geräts gehört nicht dazu.',
      withAddress: 'Auch die Netzwerkadresse Ihres Geräts gehört dazu.',
      gateway:
        'Das Gateway führt ein eigenes Protokoll, in dem sich Ihre Anfrage über die Referenznummer finden lässt.',
    },
    device: {
      heading: '4. Was auf Ihrem Gerät gespeichert wird',
      text: 'Wenn Sie eine Sprache wählen oder Ihnen eine Nutzungsrichtlinie angezeigt wird, merkt sich ein signiertes Cookie die Sprache und die angezeigte Richtlinie mit der zugehörigen Referenznummer. Es endet mit der Browsersitzung. Wenn Sie die helle oder dunkle Ansicht wählen, behält Ihr Browser diese Wahl in seinem eigenen Speicher; sie wird nirgendwohin übermittelt. Es gibt kein Tracking und keine Inhalte von anderen Adressen.',
    },
    contact: {
      heading: '5. Ihre Rechte und Kontakt',
      text: (operator) =>
        html`Sie können Auskunft darüber verlangen, was über Sie aufgezeichnet ist, es berichtigen lassen und Ihre weiteren gesetzlichen Rechte wahrnehmen. Wenden Sie sich dazu an ${operator} als Betreiber dieses Gateways. Der Betreiber legt auch fest, wie lange Aufzeichnungen aufbewahrt werden.`,
    },
  },
}
