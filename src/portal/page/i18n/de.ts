// The German catalogue. The operator is always in the accusative (“an …”), which suits both the fallback and any name.
// In words that are wider than a phone, \u00ad marks possible line breaks.
import { html } from '../../../html/html.ts'
import type { Messages } from './en.ts'

export const de: Messages = {
  topbar: {
    language: 'Sprache',
    dark: 'Dunkelmodus',
    skip: 'Zum Inhalt springen',
    preview: 'Vorschau mit Beispieldaten: Nichts davon ist echt.',
  },
  footer: {
    privacy: 'Datenschutzhinweise',
    certificate: 'Zertifikat',
    certificateError: 'Warum ein Zertifikatsfehler?',
    support: 'Support kontaktieren',
  },
  operator: {
    fallback: 'Ihre Netzwerkadministration',
  },
  details: {
    heading: 'Details',
    requestedAddress: 'Aufgerufene Adresse',
    rule: 'Regel',
    category: 'Kategorie',
    reference: 'Referenz',
    time: 'Zeitpunkt',
    support: 'Hilfe',
    version: 'Portalversion',
    labelled: (label: string, value: string) => `${label}: ${value}`,
    copy: 'Details kopieren',
    copied: 'Kopiert',
    selected: 'Text markiert. Kopieren Sie ihn mit der Tastatur oder über das Menü.',
    shortened: 'Die Adresse wurde gekürzt.',
  },
  block: {
    title: 'Seite gesperrt',
    heading: 'Diese Seite ist gesperrt',
    noReason: 'Die Regeln dieses Netzwerks lassen den Aufruf nicht zu.',
    next: (operator) => html`Ein Fehler? Wenden Sie sich mit den Angaben unten an ${operator}.`,
  },
  warn: {
    title: 'Warnung',
    heading: 'Vorsicht bei dieser Website',
    headingCode: 'Für diese Seite brauchen Sie einen Code',
    headingTerminal: 'Diese Seite ist hier nicht zugäng\u00adlich',
    noReason: 'Die Regeln dieses Netzwerks raten von dieser Seite ab.',
    next: 'Fahren Sie nur fort, wenn Sie die Website kennen und benötigen. Ihre Entscheidung wird protokolliert.',
    nextFor: (time) =>
      html`Fahren Sie nur fort, wenn Sie die Website kennen und benötigen. Ihre Entscheidung wird protokolliert und gilt ${time}.`,
    proceed: 'Trotzdem fortfahren',
    terminal: (operator) => html`Sie brauchen diese Seite? Wenden Sie sich mit den Angaben unten an ${operator}.`,
  },
  aup: {
    title: 'Nutzungsrichtlinie',
    heading: 'Bitte zuerst lesen',
    noReason: 'In diesem Netzwerk müssen Sie zuerst der Nutzungsrichtlinie zustimmen.',
    policyHeading: 'Nutzungs\u00adrichtlinie',
    accept: 'Akzeptieren und fortfahren',
    byContinuing: 'Wenn Sie fortfahren, akzeptieren Sie diese Nutzungsrichtlinie. Ihre Zustimmung wird gespeichert.',
    byUnlocking:
      'Wenn Sie die Seite entsperren, akzeptieren Sie diese Nutzungsrichtlinie. Ihre Zustimmung wird gespeichert.',
    toCode: 'Code eingeben',
    terminal: (operator) =>
      html`Hier können Sie diese Nutzungsrichtlinie nicht akzeptieren. Sie brauchen diese Seite? Wenden Sie sich mit den Angaben unten an ${operator}.`,
    policy: {
      introduction:
        'Dieses Netzwerk dient der Arbeit, der Ausbildung und anderen zugelassenen Zwecken. Wer es nutzt, stimmt den folgenden Regeln zu.',
      rules: [
        'Halten Sie sich an das Gesetz. Was verboten ist, darf weder aufgerufen noch geteilt oder gespeichert werden.',
        'Respektieren Sie andere. Belästigungen, Drohungen und herabwürdigende Inhalte sind nicht erlaubt.',
        'Schützen Sie Konten und Geräte. Behalten Sie Passwörter für sich und umgehen Sie weder Filter noch Sicherheitseinstellungen.',
        'Verarbeiten Sie vertrauliche und personenbezogene Daten nur, wenn Sie dazu berechtigt sind.',
        'Nutzen Sie das Netzwerk rücksichtsvoll, damit es für alle gut funktioniert.',
        'Der Webzugriff wird gefiltert. Anfragen können protokolliert werden, um das Netzwerk zu schützen und Missbrauch nachzugehen.',
      ],
      conclusion:
        'Verstöße gegen diese Regeln können zum Verlust des Zugangs führen. Wenn etwas unklar ist, fragen Sie bitte nach, bevor Sie fortfahren.',
    },
  },
  opensAgain: (day, time) => `Diese Seite ist ${day} um ${time} Uhr wieder zugänglich.`,
  goBack: 'Zurück',
  nothingToGoBackTo: 'Wenn nichts passiert, können Sie diese Seite schließen.',
  report: 'Fehler melden',
  askForAccess: 'Zugang anfragen',
  acknowledge: {
    destination: (host) => html`Sie gelangen zu ${host}.`,
    session: (time) => html`Danach werden Sie ${time} lang nicht erneut gefragt.`,
  },
  clickTooSoon: 'Der Klick kam zu früh. Klicken Sie noch einmal.',
  override: {
    pin: 'PIN',
    passphrase: 'Passphrase',
    explanation: {
      pin: 'Geben Sie den Code ein. Der Cursor rückt selbst weiter.',
      passphrase: 'Geben Sie den Code ein, um diese Seite zu öffnen.',
    },
    digit: (place, length) => `Ziffer ${place} von ${length}`,
    show: 'Anzeigen',
    hide: 'Verbergen',
    unlock: 'Entsperren',
    needsScript: 'Für die Eingabe des Codes ist JavaScript nötig. Aktivieren Sie es und laden Sie diese Seite neu.',
    checking: 'Wird geprüft\u00a0…',
    incomplete: 'Geben Sie den vollständigen Code ein.',
    wrong: 'Der Code ist falsch.',
    attemptsLeft: { one: 'Noch {n} Versuch.', other: 'Noch {n} Versuche.' },
    lockOver: 'Sie können es jetzt erneut versuchen.',
    trouble: 'Keine Antwort vom Gateway. Versuchen Sie es mit dem Code noch einmal.',
    unlocked: 'Entsperrt. Seite wird geöffnet\u00a0…',
    unlockedShortened: 'Entsperrt.',
    continueToPage: 'Weiter zur Seite',
  },
  outcome: {
    reopen: 'Seite erneut öffnen',
    contact: (operator) => html`Wenn das Problem bestehen bleibt, wenden Sie sich an ${operator}.`,
    tell: (operator) => html`Bitte wenden Sie sich an ${operator}.`,
    notFound: {
      title: 'Seite nicht gefunden',
      text: 'Unter dieser Adresse ist nichts zu finden.',
      advice: 'Öffnen Sie die gewünschte Website. Wenn sie gesperrt ist, erfahren Sie den Grund.',
    },
    methodNotAllowed: {
      title: 'Anfrage nicht möglich',
      text: 'An diese Adresse lässt sich nichts senden.',
      advice: 'Öffnen Sie die gewünschte Website erneut.',
    },
    tooLong: {
      title: 'Adresse zu lang',
      text: 'Die Adresse dieser Seite ist länger, als das Gateway erlaubt.',
      advice: 'Öffnen Sie die gewünschte Website erneut.',
    },
    malformed: {
      title: 'Adresse unvoll\u00adständig',
      text: 'Die Adresse dieser Seite ist unvollständig oder wurde verändert.',
      advice: 'Öffnen Sie die gewünschte Website direkt, nicht über eine kopierte oder gespeicherte Adresse.',
    },
    wrongVersion: {
      title: 'Gateway und Portal passen nicht zusammen',
      text: 'Das Gateway und dieses Portal verwenden unterschiedliche Versionen.',
    },
    invalid: {
      title: 'Dieser Link ist ungültig',
      text: 'Dieser Link stammt nicht vom Gateway oder wurde unterwegs verändert.',
      advice: 'Öffnen Sie die gewünschte Website direkt, nicht über einen kopierten oder gespeicherten Link.',
    },
    expired: {
      title: 'Dieser Link ist abgelaufen',
      text: 'Links des Gateways gelten nur wenige Minuten.',
      advice: 'Öffnen Sie die gewünschte Website erneut, um einen neuen Link zu erhalten.',
    },
    contentBlocked: {
      title: 'Inhalt gesperrt',
      text: (operator) =>
        html`Dieser Inhalt ist in diesem Netzwerk gesperrt. Bei Fragen wenden Sie sich an ${operator}.`,
    },
    acknowledgementOff: {
      title: 'Fortfahren ist hier nicht möglich',
      text: 'Dieses Portal ist nicht dafür eingerichtet, Ihre Entscheidung weiterzuleiten.',
    },
    crossSite: {
      title: 'Nur auf der Seite des Gateways möglich',
      text: 'Fortfahren können Sie nur auf der Seite des Gateways selbst.',
      advice: 'Öffnen Sie die gewünschte Website erneut und verwenden Sie dort die Schaltfläche.',
    },
    acknowledgementPrefetch: {
      title: 'Bestätigung erforderlich',
      text: 'Ihr Browser wollte diesen Schritt im Voraus laden. Er funktioniert nur, wenn Sie selbst auf die Schaltfläche klicken.',
      advice: 'Öffnen Sie die gewünschte Website erneut und verwenden Sie dort die Schaltfläche.',
    },
    acknowledgementExpired: {
      title: 'Diese Seite ist abgelaufen',
      text: 'Das Gateway nimmt Ihre Entscheidung nicht mehr an.',
      advice: 'Öffnen Sie die Website erneut, um eine neue Seite zu erhalten.',
    },
    acknowledgementRefused: {
      title: 'Ihre Entscheidung wurde nicht angenommen',
      text: 'Die Seite ist möglicherweise nicht mehr gültig.',
      advice: 'Öffnen Sie die Website erneut, um eine neue Seite zu erhalten.',
    },
    codeMalformed: {
      title: 'Der Code konnte nicht verwendet werden',
      text: 'Der Code fehlt, wurde nicht erwartet oder ist nicht lesbar.',
      advice: 'Öffnen Sie die Website erneut und geben Sie den Code auf der Seite ein, die danach fragt.',
    },
    codeRejected: {
      title: 'Der Code ist falsch',
      text: 'Das Gateway hat den Code nicht angenommen.',
      advice: 'Öffnen Sie die Website erneut und geben Sie den Code noch einmal ein.',
    },
    lockedOut: {
      title: 'Zu viele Versuche',
      text: 'Es wurden zu viele falsche Codes eingegeben.',
      advice: (time) => `Versuchen Sie es in ${time} erneut.`,
      at: (time) => `Um ${time} Uhr können Sie es erneut versuchen.`,
    },
    engineUnreachable: {
      title: 'Das Gateway antwortet nicht wie erwartet',
      text: 'Ihre Entscheidung konnte nicht weitergeleitet werden. Das liegt nicht an Ihnen.',
      advice: 'Versuchen Sie es gleich noch einmal.',
    },
    engineTooSlow: {
      title: 'Das Gateway hat zu lange gebraucht',
      text: 'Ihre Entscheidung wurde weitergeleitet, aber es kam nicht rechtzeitig eine Antwort.',
      advice: 'Versuchen Sie es gleich noch einmal.',
    },
    recordUnavailable: {
      title: 'Ihre Zustimmung konnte nicht gespeichert werden',
      text: 'Es geht erst weiter, wenn Ihre Zustimmung gespeichert ist. An das Gateway wurde nichts weitergeleitet.',
      advice: 'Versuchen Sie es gleich noch einmal.',
    },
    overloaded: {
      title: 'Zurzeit überlastet',
      text: 'Das Portal erhält mehr Anfragen, als es beantworten kann.',
      advice: 'Versuchen Sie es in einigen Sekunden noch einmal.',
    },
    superseded: {
      title: 'Sie haben mehrmals bestätigt',
      text: 'Nur Ihr letzter Klick wird an das Gateway weitergeleitet. Ein neuerer, vielleicht in einem anderen Fenster, hat diesen ersetzt.',
      advice: 'Wenn sich die Seite dort nicht geöffnet hat, versuchen Sie es noch einmal.',
    },
    internal: {
      title: 'Etwas ist schief\u00adgelaufen',
      text: 'Der Fehler liegt beim Portal, nicht bei Ihnen.',
      advice: 'Versuchen Sie es gleich noch einmal.',
    },
  },
  certificate: {
    title: 'Zertifikat installieren',
    heading: 'Zertifikat dieses Netzwerks installieren',
    why: 'Dieses Netzwerk prüft verschlüsselte Verbindungen mit einem eigenen Zertifikat. Bis Ihr Gerät ihm vertraut, warnt der Browser wie vor einem Angreifer. In anderen Netzwerken nehmen Sie solche Warnungen ernst.',
    care: 'Installieren Sie es nur auf Geräten, die Sie in diesem Netzwerk verwenden. Das Gateway kann damit lesen, was diese über verschlüsselte Verbindungen senden und empfangen.',
    signInSheet:
      'In diesem Anmelde- oder App-Fenster lassen sich keine Zertifikate installieren. Kopieren Sie diese Adresse und öffnen Sie sie im Browser (auf iPhone und iPad in Safari).',
    plainHttp:
      'Diese Seite wurde unverschlüsselt übertragen und könnte verändert worden sein. Vergleichen Sie vor der Installation den SHA-256-Fingerabdruck mit dem, den Sie auf Papier oder am Telefon erhalten haben.',
    toFingerprints: 'Fingerabdrücke anzeigen',
    expiring: (date, days) =>
      `Dieses Zertifikat läuft am ${date} ab (noch ${days}). Danach muss ein neues installiert werden.`,
    copy: 'Kopieren',
    copied: 'Kopiert',
    trust: {
      heading: 'Prüfen, ob es funktioniert hat',
      headingTrusted: 'Ist es schon installiert?',
      testing: 'Test läuft\u00a0…',
      trusted:
        'Vertrauenswürdig. Dieser Browser akzeptiert das Zertifikat. Hier ist nichts mehr zu tun, es sei denn, Sie haben früher eine Warnung zu diesem Portal übergangen.',
      untrusted:
        'Noch nicht vertrauenswürdig. Folgen Sie den Schritten oben, starten Sie den Browser bei Bedarf neu und testen Sie erneut.',
      overHttps:
        'Wurde diese Seite ohne Warnung geöffnet, ist das Zertifikat vertrauenswürdig. Um sicherzugehen, öffnen Sie diese Adresse:',
      otherAddress: 'Unter dieser Adresse funktioniert der Test nicht. Öffnen Sie diese:',
      noAnswer: 'Test nicht möglich: Das Portal hat nicht rechtzeitig geantwortet. Testen Sie gleich noch einmal.',
      test: 'Erneut testen',
    },
    install: {
      heading: 'Installation',
      thisDevice: 'dieses Gerät',
      download: 'Zertifikat herunterladen',
      downloadBlocked:
        'Wenn der Browser den Download blockiert, wählen Sie „Behalten“ oder „Unsichere Datei herunterladen“.',
      checked: (month) => `Schritte geprüft im ${month}.`,
      ios: [
        'Laden Sie die Datei in Safari herunter und tippen Sie auf „Zulassen“.',
        'Öffnen Sie innerhalb von 8 Minuten Einstellungen › Profil geladen (oder Allgemein › VPN und Geräteverwaltung).',
        'Tippen Sie auf „Installieren“, geben Sie den Code ein und tippen Sie noch einmal auf „Installieren“.',
        (name) =>
          html`Nicht vergessen: Öffnen Sie Einstellungen › Allgemein › Info › Zertifikats\u00advertrauens\u00adeinstellungen, schalten Sie ${name} ein und tippen Sie auf „Weiter“.`,
      ],
      android: [
        'Laden Sie die Datei herunter, ohne sie zu öffnen. Sie wählen sie später in den Einstellungen aus.',
        'Suchen Sie in den Einstellungen nach „CA-Zertifikat“. Falls nichts erscheint: Sicherheit & Datenschutz › Mehr Sicherheit & Datenschutz › Verschlüsselung und Anmeldedaten › Zertifikat installieren (bei Samsung: Sicherheit und Datenschutz › Weitere Sicherheitseinstellungen › Von Gerätespeicher installieren). Wählen Sie „CA-Zertifikat“, nicht das für VPN oder WLAN.',
        'Tippen Sie auf „Trotzdem installieren“, entsperren Sie den Bildschirm und wählen Sie die Datei aus. Ist keine Displaysperre eingerichtet, verlangt das Gerät zuerst eine.',
      ],
      androidNote:
        'Ab Android 15 erscheint nach jedem Neustart eine Warnung, dass das Netzwerk überwacht werden kann. Das ist normal. Browser akzeptieren das Zertifikat, die meisten anderen Apps beachten es nicht.',
      macos: [
        'Laden Sie die Datei herunter und öffnen Sie sie. Fügen Sie sie in der Schlüsselbundverwaltung dem Schlüsselbund „System“ hinzu.',
        (name) => html`Doppelklicken Sie auf ${name}, öffnen Sie „Vertrauen“ und wählen Sie „Immer vertrauen“.`,
        'Schließen Sie das Fenster und geben Sie Ihr Passwort ein.',
      ],
      macosCommand: 'Oder im Terminal (Administratorpasswort erforderlich):',
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
      firefoxElsewhere: 'Firefox (ab Version 120) verwendet es nach einem Neustart.',
      firefoxDebian: 'Firefox hat unter Debian und Ubuntu einen eigenen Zertifikatsspeicher:',
      firefoxFedora:
        'Firefox aus den Paketen von Fedora oder RHEL verwendet es nach einem Neustart. Firefox von Flathub oder Mozilla hat einen eigenen Zertifikatsspeicher:',
      firefoxImport:
        'Einstellungen › Datenschutz & Sicherheit › Zertifikate › Zertifikate verwalten › Zertifizierungsstellen › Importieren. Wählen Sie die Datei und haken Sie „Dieser CA vertrauen, um Websites zu identifizieren“ an.',
      chrome:
        'Chrome unter Linux ebenso: Einstellungen › Datenschutz und Sicherheit › Sicherheit › Zertifikate verwalten › Lokale Zertifikate › Benutzerdefiniert › Von dir installiert › Importieren. Oder öffnen Sie direkt:',
    },
    proxy: {
      heading: 'Proxy einstellen',
      text: 'In diesem Netzwerk brauchen Geräte auch einen Proxy. Wo das System eine automatische Konfiguration anbietet, geben Sie deren Adresse ein, sonst Server und Port.',
      server: 'Server',
      port: 'Port',
      automatic: 'Automatisch (PAC)',
      where: {
        ios: 'Einstellungen › WLAN › ⓘ neben diesem Netzwerk › Proxy konfigurieren › Automatisch',
        android:
          'Einstellungen › Netzwerk und Internet › Internet › das Zahnrad neben diesem Netzwerk › der Stift › Erweiterte Optionen › Proxy › Automatische Proxykonfiguration',
        windows: 'Einstellungen › Netzwerk und Internet › Proxy › Setupskript verwenden › Einrichten',
        macos: 'Systemeinstellungen › WLAN › Details neben diesem Netzwerk › Proxys › Automatische Proxy-Konfiguration',
        debian: 'Einstellungen › Netzwerk › Netzwerk-Proxy › Automatisch (GNOME)',
        rhel: 'Einstellungen › Netzwerk › Netzwerk-Proxy › Automatisch (GNOME)',
      },
      sheet: 'Ein Blatt zum Ausdrucken und Verteilen',
    },
    sheet: {
      heading: 'Ihr Gerät einrichten',
      introduction: 'Für Geräte in diesem Netzwerk: drei Schritte, einmal für jedes Gerät.',
      introductionOf: (operator) =>
        html`Für Geräte in diesem Netzwerk (${operator}): drei Schritte, einmal für jedes Gerät.`,
      open: 'Verbinden Sie sich mit dem Netzwerk. Scannen Sie diesen Code mit der Kamera oder geben Sie die Adresse im Browser ein.',
      install:
        'Laden Sie das Zertifikat herunter und installieren Sie es, wie die Seite es beschreibt. Es muss diesen Namen und diesen Fingerabdruck haben.',
      setProxy: 'Stellen Sie den Proxy ein, wie die Seite es beschreibt.',
    },
    details: {
      heading: 'Das Zertifikat',
      name: 'Name',
      subject: 'Inhaber',
      fingerprint: (algorithm) => `${algorithm}-Fingerabdruck`,
      validFrom: 'Gültig ab',
      validUntil: 'Gültig bis',
      daysLeft: 'Verbleibende Tage',
    },
    next: {
      heading: 'Installieren Sie auch dieses',
      from: (date) =>
        `Ab dem ${date} verwendet das Gateway stattdessen dieses Zertifikat. Installieren Sie es jetzt schon, dann merken Sie von der Umstellung nichts.`,
      since: (date) => `Seit dem ${date} verwendet das Gateway dieses Zertifikat. Installieren Sie es ebenfalls.`,
      sameSteps: 'Die Schritte sind dieselben. Setzen Sie in einem Befehl den Namen dieser Datei ein.',
    },
    elsewhere: {
      heading: 'Ein anderes Gerät einrichten',
      scan: 'Scannen Sie diesen Code mit dessen Kamera oder geben Sie die Adresse ein:',
    },
  },
  privacy: {
    title: 'Datenschutz\u00adhinweise',
    introduction:
      'Diese Hinweise gelten für die Seiten, die das Gateway anzeigt, wenn es sperrt, warnt oder um Zustimmung bittet. Sie beschreiben, was diese Seiten verarbeiten und was gespeichert wird.',
    purpose: {
      heading: '1. Wozu diese Seiten dienen',
      text: 'Ein Gateway prüft Webanfragen anhand von Regeln. Greift eine Regel, wird Ihr Browser an dieses Portal geleitet. Es erklärt die Entscheidung und gibt, wo die Regel es erlaubt, Ihre Wahl an das Gateway weiter.',
    },
    processed: {
      heading: '2. Was zum Anzeigen einer Seite verarbeitet wird',
      text: 'Die aufgerufene Adresse, die angewandte Regel, ihre Kategorie und eine Referenznummer gelangen verschlüsselt in der Adresse der Seite zu diesem Portal. Sie werden Ihnen angezeigt; was davon gespeichert wird, steht in Abschnitt 3. Die Sprache der Seite richtet sich nach den Einstellungen Ihres Browsers. Wenn Sie fortfahren, werden die IP‑Adresse Ihres Geräts und ein eingegebener Code an das Gateway weitergegeben; dieses Portal speichert den Code nie.',
    },
    recorded: {
      heading: '3. Was gespeichert wird',
      log: 'Zu jeder Anfrage hält das Protokoll dieses Portals den Zeitpunkt, die Art der Seite, die Regel, das Ergebnis und die Referenznummer fest, nicht aber Ihren Namen, Ihre IP‑Adresse oder den Code.',
      logWithDestination:
        'Zu jeder Anfrage hält das Protokoll dieses Portals den Zeitpunkt, die Art der Seite, die Regel, das Ergebnis und die Referenznummer fest, bei Entscheidungen des Gateways außerdem die aufgerufene Adresse, nicht aber Ihren Namen, Ihre IP‑Adresse oder den Code.',
      acceptance:
        'Wenn Sie eine Nutzungsrichtlinie akzeptieren, wird Folgendes aufgezeichnet: die Referenznummer, die Regel, Version und Wortlaut der Richtlinie, ihre Sprache, ob Ihr Browser sie angezeigt hat, der Zeitpunkt, wie oft und mit welchem Ergebnis das Gateway angefragt wurde und die Version dieses Portals.',
      withoutAddress: 'Die IP‑Adresse Ihres Geräts gehört nicht dazu.',
      withAddress: 'Auch die IP‑Adresse Ihres Geräts gehört dazu.',
      gateway: {
        unknown:
          'Das Gateway führt ein eigenes Protokoll. Es kann zu angehaltenen und auch zu erlaubten Anfragen Folgendes enthalten: den Zeitpunkt, die IP‑Adresse Ihres Geräts, Ihren Benutzernamen, die Website, die Regel und die Referenznummer.',
        stopped:
          'Zu jeder Anfrage, die es anhält, und wenn Sie fortfahren, protokolliert das Gateway den Zeitpunkt, die IP‑Adresse Ihres Geräts, Ihren Benutzernamen, falls bekannt, die Regel und die Referenznummer, nicht aber die Website.',
        stoppedWithSite:
          'Zu jeder Anfrage, die es anhält, protokolliert das Gateway den Zeitpunkt, die IP‑Adresse Ihres Geräts, Ihren Benutzernamen, falls bekannt, die Website, die Regel und die Referenznummer; wenn Sie fortfahren, dasselbe ohne die Website.',
        every:
          'Zu jeder Anfrage, auch wenn es sie erlaubt, und wenn Sie fortfahren, protokolliert das Gateway den Zeitpunkt, die IP‑Adresse Ihres Geräts, Ihren Benutzernamen, falls bekannt, die Regel und die Referenznummer, nicht aber die Website.',
        everyWithSite:
          'Zu jeder Anfrage, auch wenn es sie erlaubt, protokolliert das Gateway den Zeitpunkt, die IP‑Adresse Ihres Geräts, Ihren Benutzernamen, falls bekannt, die Website, die Regel und die Referenznummer; wenn Sie fortfahren, dasselbe ohne die Website.',
      },
      journal: {
        withSite: (days: string) =>
          `In einem Journal speichert das Gateway außerdem ${days} lang zu jeder Anfrage, die es anhält, und wenn Sie fortfahren oder einen Code eingeben, den Zeitpunkt, die IP‑Adresse Ihres Geräts, Ihren Benutzernamen und Ihre Gruppe, falls bekannt, die Website, die Regel, ihre Kategorie und Liste und die Referenznummer.`,
        withoutSite: (days: string) =>
          `In einem Journal speichert das Gateway außerdem ${days} lang zu jeder Anfrage, die es anhält, und wenn Sie fortfahren oder einen Code eingeben, den Zeitpunkt, die IP‑Adresse Ihres Geräts, Ihren Benutzernamen und Ihre Gruppe, falls bekannt, die Regel, ihre Kategorie und Liste und die Referenznummer, nicht aber die Website.`,
        named: (days: string) =>
          `Ihre IP‑Adresse und Ihr Benutzername stehen darin ${days} lang, danach nur noch Pseudonyme.`,
        pseudonyms: 'Statt Ihrer IP‑Adresse und Ihres Benutzernamens stehen darin Pseudonyme.',
        unknown: 'Dieselben Angaben kann das Gateway auch eine Zeit lang in einem Journal speichern.',
      },
      memory:
        'Im Arbeitsspeicher hat das Gateway bis zu seinem Neustart die vollständigen Webadressen der letzten Anfragen, die es angehalten hat.',
      session:
        'Solange Sie fortfahren dürfen oder eine Website für Sie freigegeben ist, merkt sich das Gateway dies mit Ihrer IP‑Adresse und Ihrem Benutzernamen; außerdem zählt es falsche Codes.',
      elsewhere: {
        unknown: 'Andere Teile dieses Netzes, etwa sein Proxy, können eigene Protokolle führen.',
        on: 'Der Proxy dieses Netzes protokolliert jede Anfrage: den Zeitpunkt, die IP‑Adresse Ihres Geräts, Ihren Benutzernamen, falls bekannt, die Website und das Ergebnis, nicht aber den Rest der Adresse. Andere Teile dieses Netzes können eigene Protokolle führen.',
        off: 'Der Proxy dieses Netzes protokolliert nicht, was Sie aufrufen. Andere Teile dieses Netzes können eigene Protokolle führen.',
      },
    },
    device: {
      heading: '4. Was auf Ihrem Gerät gespeichert wird',
      text: 'Wenn Sie eine Sprache wählen oder Ihnen eine Nutzungsrichtlinie angezeigt wird, merkt sich ein signiertes Cookie die Sprache und die angezeigte Richtlinie mit der zugehörigen Referenznummer. Es wird gelöscht, wenn Sie den Browser schließen. Wenn Sie den hellen oder dunklen Modus wählen, behält Ihr Browser diese Wahl in seinem eigenen Speicher; sie wird nirgendwohin übermittelt. Es gibt kein Tracking und keine Inhalte Dritter.',
    },
    contact: {
      heading: '5. Ihre Rechte und Kontakt',
      text: (operator) =>
        html`Sie können Auskunft darüber verlangen, was über Sie aufgezeichnet ist, es berichtigen lassen und Ihre weiteren gesetzlichen Rechte wahrnehmen. Wenden Sie sich dazu an ${operator} als Betreiber dieses Gateways. Der Betreiber legt auch fest, wie lange Aufzeichnungen aufbewahrt werden.`,
    },
  },
}
