// The Italian catalogue. Buttons are commands to the machine, as in any Italian software; whatever addresses the reader
// is impersonal. The operator always follows a verb, so that no preposition has to merge with the fallback's article.
import { html } from '../../../html/html.ts'
import type { Messages } from './en.ts'

export const it: Messages = {
  topbar: {
    language: 'Lingua',
    dark: 'Tema scuro',
    skip: 'Vai al contenuto',
    preview: 'Anteprima con dati di esempio: niente di quanto segue è reale.',
  },
  footer: {
    privacy: 'Informativa sulla privacy',
    certificate: 'Certificato',
    certificateError: 'Perché è comparso un errore di certificato?',
    support: 'Contatta l’assistenza',
  },
  operator: {
    fallback: 'l’amministratore di rete',
  },
  details: {
    heading: 'Dettagli',
    requestedAddress: 'Indirizzo richiesto',
    rule: 'Regola',
    category: 'Categoria',
    reference: 'Riferimento',
    time: 'Data e ora',
    support: 'Assistenza',
    version: 'Versione del portale',
    labelled: (label: string, value: string) => `${label}: ${value}`,
    copy: 'Copia i dettagli',
    copied: 'Copiato',
    selected: 'Testo selezionato. Copiarlo con la tastiera o dal menu.',
    shortened: 'L’indirizzo è stato abbreviato.',
  },
  block: {
    title: 'Pagina bloccata',
    heading: 'Questa pagina è bloccata',
    noReason: 'Le regole di questa rete non consentono questa pagina.',
    next: (operator) => html`È un errore? Contattare ${operator} indicando i dettagli qui sotto.`,
  },
  warn: {
    title: 'Avviso',
    heading: 'Attenzione a questo sito',
    headingCode: 'Per questa pagina serve un codice',
    headingTerminal: 'Questa pagina non è accessibile da qui',
    noReason: 'Le regole di questa rete sconsigliano questa pagina.',
    next: 'Proseguire solo se il sito è conosciuto e necessario. La scelta viene registrata.',
    nextFor: (time) =>
      html`Proseguire solo se il sito è conosciuto e necessario. La scelta viene registrata e vale ${time}.`,
    proceed: 'Prosegui comunque',
    terminal: (operator) => html`Questa pagina è necessaria? Contattare ${operator} indicando i dettagli qui sotto.`,
  },
  aup: {
    title: 'Norme d’uso',
    heading: 'Da leggere prima di proseguire',
    noReason: 'In questa rete occorre prima accettare le norme d’uso.',
    policyHeading: 'Norme d’uso',
    accept: 'Accetto e proseguo',
    byContinuing: 'Proseguendo si accettano queste norme. L’accettazione viene registrata.',
    byUnlocking: 'Sbloccando la pagina si accettano queste norme. L’accettazione viene registrata.',
    toCode: 'Vai al codice',
    terminal: (operator) =>
      html`Qui non è possibile accettare queste norme. Questa pagina è necessaria? Contattare ${operator} indicando i dettagli qui sotto.`,
    policy: {
      introduction:
        'Questa rete è messa a disposizione per il lavoro, lo studio e gli scopi per cui è stata predisposta. Chi la usa accetta le norme seguenti.',
      rules: [
        'Rispettare la legge. Non aprire, condividere o salvare contenuti illegali.',
        'Rispettare gli altri. Niente molestie, minacce o contenuti degradanti.',
        'Proteggere account e dispositivi. Non rivelare le password e non aggirare i filtri o le impostazioni di sicurezza.',
        'Trattare dati riservati e personali solo quando si è autorizzati a farlo.',
        'Usare la rete con riguardo, così che funzioni bene per tutti.',
        'L’accesso al web è filtrato e le richieste possono essere registrate per proteggere la rete e intervenire in caso di abusi.',
      ],
      conclusion:
        'La violazione di queste norme può comportare la revoca dell’accesso. In caso di dubbi, chiedere chiarimenti prima di proseguire.',
    },
  },
  opensAgain: (day, time) => `Questa pagina sarà di nuovo accessibile ${day} alle ore ${time}.`,
  goBack: 'Indietro',
  nothingToGoBackTo: 'Se non succede nulla, è possibile chiudere questa pagina.',
  report: 'Segnala un errore',
  askForAccess: 'Chiedi l’accesso',
  acknowledge: {
    destination: (host) => html`Si aprirà ${host}.`,
    session: (time) => html`La richiesta non verrà ripetuta per ${time}.`,
  },
  clickTooSoon: 'Il clic è arrivato troppo presto. Fare clic di nuovo.',
  override: {
    pin: 'PIN',
    passphrase: 'Passphrase',
    explanation: {
      pin: 'Inserire il codice. Il cursore avanza da solo.',
      passphrase: 'Inserire il codice per aprire questa pagina.',
    },
    digit: (place, length) => `Cifra ${place} di ${length}`,
    show: 'Mostra',
    hide: 'Nascondi',
    unlock: 'Sblocca',
    needsScript: 'Il codice si può inserire solo con JavaScript attivo. Attivarlo e ricaricare questa pagina.',
    checking: 'Verifica…',
    incomplete: 'Inserire il codice completo.',
    wrong: 'Il codice non è corretto.',
    attemptsLeft: { one: 'Resta {n} tentativo.', other: 'Restano {n} tentativi.' },
    lockOver: 'Ora è possibile riprovare.',
    trouble: 'Il gateway non ha risposto. Il codice può essere corretto: riprovare.',
    unlocked: 'Pagina sbloccata. Apertura…',
    unlockedShortened: 'Pagina sbloccata.',
    continueToPage: 'Vai alla pagina',
  },
  outcome: {
    reopen: 'Riapri la pagina',
    contact: (operator) => html`Se il problema persiste, contattare ${operator}.`,
    tell: (operator) => html`Contattare ${operator}.`,
    notFound: {
      title: 'Pagina non trovata',
      text: 'A questo indirizzo non c’è nulla.',
      advice: 'Aprire il sito desiderato. Se è bloccato, ne verrà indicato il motivo.',
    },
    methodNotAllowed: {
      title: 'Richiesta non supportata',
      text: 'A questo indirizzo non è possibile inviare dati.',
      advice: 'Aprire di nuovo il sito desiderato.',
    },
    tooLong: {
      title: 'Indirizzo troppo lungo',
      text: 'L’indirizzo di questa pagina supera la lunghezza ammessa dal gateway.',
      advice: 'Aprire di nuovo il sito desiderato.',
    },
    malformed: {
      title: 'Indirizzo incompleto',
      text: 'L’indirizzo di questa pagina è incompleto o è stato modificato.',
      advice: 'Aprire di nuovo il sito desiderato, senza usare un indirizzo copiato o salvato.',
    },
    wrongVersion: {
      title: 'Gateway e portale non compatibili',
      text: 'Il gateway e questo portale usano versioni diverse.',
    },
    invalid: {
      title: 'Questo link non è valido',
      text: 'Questo link non proviene dal gateway o è stato modificato lungo il percorso.',
      advice: 'Aprire direttamente il sito desiderato, senza usare un link copiato o salvato.',
    },
    expired: {
      title: 'Questo link è scaduto',
      text: 'I link del gateway valgono solo pochi minuti.',
      advice: 'Aprire di nuovo il sito desiderato per ottenere un nuovo link.',
    },
    contentBlocked: {
      title: 'Contenuto bloccato',
      text: (operator) => html`Questo contenuto è bloccato in questa rete. Per informazioni, contattare ${operator}.`,
    },
    acknowledgementOff: {
      title: 'Da qui non è possibile proseguire',
      text: 'Questo portale non è configurato per inoltrare la scelta.',
    },
    crossSite: {
      title: 'Impossibile da questa pagina',
      text: 'È possibile proseguire solo dalla pagina del gateway stesso.',
      advice: 'Aprire di nuovo il sito desiderato e usare il pulsante che compare.',
    },
    acknowledgementPrefetch: {
      title: 'È richiesta una conferma',
      text: 'Il browser ha provato a caricare questo passaggio in anticipo. Occorre premere il pulsante.',
      advice: 'Aprire di nuovo il sito desiderato e usare il pulsante che compare.',
    },
    acknowledgementExpired: {
      title: 'Pagina scaduta',
      text: 'Il gateway non accetta più la scelta.',
      advice: 'Aprire di nuovo il sito per ottenere una nuova pagina.',
    },
    acknowledgementRefused: {
      title: 'Conferma non accettata',
      text: 'La pagina potrebbe non essere più valida.',
      advice: 'Aprire di nuovo il sito per ottenere una nuova pagina.',
    },
    codeMalformed: {
      title: 'Il codice non è utilizzabile',
      text: 'Il codice manca, non era previsto o non è leggibile.',
      advice: 'Aprire di nuovo il sito e inserire il codice nella pagina che lo richiede.',
    },
    codeRejected: {
      title: 'Il codice non è corretto',
      text: 'Il gateway non ha accettato il codice.',
      advice: 'Riaprire il sito e inserire di nuovo il codice.',
    },
    lockedOut: {
      title: 'Troppi tentativi',
      text: 'Sono stati inseriti troppi codici errati.',
      advice: (time) => `Riprovare tra ${time}.`,
      at: (time) => `Sarà possibile riprovare alle ore ${time}.`,
    },
    engineUnreachable: {
      title: 'Il gateway non ha risposto correttamente',
      text: 'Per un problema tecnico non è stato possibile inoltrare la scelta.',
      advice: 'Riprovare tra poco.',
    },
    engineTooSlow: {
      title: 'Il gateway ha impiegato troppo tempo',
      text: 'La scelta è stata inoltrata, ma la risposta non è arrivata in tempo.',
      advice: 'Riprovare tra poco.',
    },
    recordUnavailable: {
      title: 'Non è stato possibile registrare l’accettazione',
      text: 'Si può proseguire solo dopo la registrazione dell’accettazione: nulla è stato inoltrato al gateway.',
      advice: 'Riprovare tra poco.',
    },
    overloaded: {
      title: 'Troppe richieste in questo momento',
      text: 'Il portale riceve più richieste di quante possa gestirne.',
      advice: 'Riprovare tra qualche secondo.',
    },
    superseded: {
      title: 'Conferma inviata più volte',
      text: 'Solo l’ultimo clic viene inoltrato al gateway. Un clic più recente, forse in un’altra finestra, ha sostituito questo.',
      advice: 'Se la pagina non si è aperta lì, riprovare.',
    },
    internal: {
      title: 'Si è verificato un problema',
      text: 'Il problema riguarda il portale.',
      advice: 'Riprovare tra poco.',
    },
  },
  certificate: {
    title: 'Installazione del certificato',
    heading: 'Installare il certificato di questa rete',
    why: 'Questa rete controlla le connessioni cifrate con un proprio certificato. Finché il dispositivo non lo considera attendibile, il browser non può distinguere il gateway da un malintenzionato e mostra un avviso. Su qualsiasi altra rete, un avviso simile va preso sul serio.',
    care: 'Installarlo solo sui dispositivi che si usano in questa rete. Con il certificato il gateway può leggere ciò che inviano e ricevono attraverso connessioni cifrate.',
    signInSheet:
      'Questa finestra (di accesso alla rete o di un’app) non può installare certificati. Copiare questo indirizzo e aprirlo nel browser, su iPhone o iPad in Safari.',
    plainHttp:
      'Questa pagina è stata trasmessa senza cifratura e potrebbe essere stata modificata. Prima di installare, confrontare l’impronta SHA-256 con quella ricevuta su carta o al telefono.',
    toFingerprints: 'Mostra le impronte',
    expiring: (date, days) =>
      `Questo certificato sta per scadere: ${date} (ancora ${days}). In seguito occorrerà installarne uno nuovo.`,
    copy: 'Copia',
    copied: 'Copiato',
    trust: {
      heading: 'Verificare che abbia funzionato',
      headingTrusted: 'È già installato?',
      testing: 'Verifica in corso…',
      trusted:
        'Attendibile. Questo browser accetta il certificato: non resta altro da fare, a meno che non sia stato ignorato un avviso su questo portale.',
      untrusted:
        'Non ancora attendibile. Seguire i passaggi qui sopra, se necessario riavviare il browser e verificare di nuovo.',
      overHttps:
        'Se questa pagina si è aperta senza avvisi, il certificato è attendibile. Per esserne certi, aprire questo indirizzo:',
      otherAddress: 'A questo indirizzo la verifica non funziona. Aprire il seguente:',
      noAnswer: 'Verifica non riuscita: il portale non ha risposto in tempo. Verificare di nuovo tra poco.',
      test: 'Verifica di nuovo',
    },
    install: {
      heading: 'Installazione',
      thisDevice: 'questo dispositivo',
      download: 'Scarica il certificato',
      downloadBlocked: 'Se il browser blocca il download, scegliere «Conserva» o «Scarica file non sicuro».',
      checked: (month) => `Passaggi controllati a ${month}.`,
      ios: [
        'In Safari, scaricare il file e toccare «Consenti».',
        'Entro 8 minuti aprire Impostazioni › Profilo scaricato (o Generali › VPN e gestione dispositivo).',
        'Toccare «Installa», inserire il codice e toccare di nuovo «Installa».',
        (name) =>
          html`Da non dimenticare: aprire Impostazioni › Generali › Info › Impostazioni attendibilità certificati, attivare ${name} e toccare «Continua».`,
      ],
      android: [
        'Scaricare il file senza aprirlo: andrà scelto nelle impostazioni.',
        'Cercare «certificato CA» nelle impostazioni. Se non si trova: Sicurezza e privacy › Altre impostazioni di sicurezza e privacy › Crittografia e credenziali › Installa un certificato (su Samsung: Sicurezza e privacy › Altre impostazioni di sicurezza › Installa da memoria dispositivo). Scegliere «Certificato CA», non quello per VPN o Wi-Fi.',
        'Toccare «Installa comunque», sbloccare lo schermo e scegliere il file. Se manca il blocco schermo, il dispositivo chiede prima di impostarlo.',
      ],
      androidNote:
        'Da Android 15 in poi, dopo ogni riavvio compare un avviso secondo cui la rete potrebbe essere monitorata. È normale. I browser accettano il certificato, quasi tutte le altre app lo ignorano.',
      macos: [
        'Scaricare il file e aprirlo. In Accesso Portachiavi aggiungerlo al portachiavi «Sistema».',
        (name) => html`Fare doppio clic su ${name}, aprire «Attendibilità» e scegliere «Fidati sempre».`,
        'Chiudere la finestra e inserire la propria password.',
      ],
      macosCommand: 'Oppure nel Terminale (richiede la password di un amministratore):',
      windows: [
        'Scaricare il file, aprirlo e scegliere «Installa certificato».',
        'Scegliere «Computer locale» oppure, senza diritti di amministratore, «Utente corrente».',
        'Scegliere «Colloca tutti i certificati nel seguente archivio» › Sfoglia › Autorità di certificazione radice attendibili. La selezione automatica lo mette nel posto sbagliato.',
        'Scegliere «Avanti», poi «Fine», e confermare.',
      ],
      windowsCommand: 'Oppure in PowerShell, eseguito come amministratore:',
      linux: ['Scaricare il file.', 'Aprire un terminale nella cartella che contiene il file ed eseguire:'],
      firefoxElsewhere: 'Firefox 120 e versioni successive lo usano dopo il riavvio.',
      firefoxDebian: 'Su Debian e Ubuntu Firefox ha un archivio di certificati proprio:',
      firefoxFedora:
        'Il Firefox dei pacchetti di Fedora o RHEL lo usa dopo il riavvio. Quello di Flathub o Mozilla ha un archivio di certificati proprio:',
      firefoxImport:
        'Impostazioni › Privacy e sicurezza › Certificati › Gestisci certificati › Autorità › Importa. Scegliere il file e spuntare «Dai fiducia a questa CA per l’identificazione di siti web».',
      chrome:
        'Anche Chrome su Linux: Impostazioni › Privacy e sicurezza › Sicurezza › Gestisci certificati › Certificati locali › Personalizzati › Installati da te › Importa. Oppure aprire direttamente:',
    },
    proxy: {
      heading: 'Impostare il proxy',
      text: 'In questa rete i dispositivi hanno bisogno anche di un proxy. Se il sistema prevede una configurazione automatica, inserirne l’indirizzo; altrimenti il server e la porta.',
      server: 'Server',
      port: 'Porta',
      automatic: 'Automatico (PAC)',
      where: {
        ios: 'Impostazioni › Wi-Fi › ⓘ accanto a questa rete › Configura proxy › Automatico',
        android:
          'Impostazioni › Rete e Internet › Internet › l’ingranaggio accanto a questa rete › la matita › Opzioni avanzate › Proxy › Configurazione automatica proxy',
        windows: 'Impostazioni › Rete e Internet › Proxy › Usa script di configurazione › Configura',
        macos:
          'Impostazioni di Sistema › Wi-Fi › Dettagli accanto a questa rete › Proxy › Configurazione automatica proxy',
        debian: 'Impostazioni › Rete › Proxy di rete › Automatico (GNOME)',
        rhel: 'Impostazioni › Rete › Proxy di rete › Automatico (GNOME)',
      },
      sheet: 'Un foglio da stampare e distribuire',
    },
    sheet: {
      heading: 'Configurare il dispositivo',
      introduction: 'Per i dispositivi in questa rete: tre passaggi, una volta per dispositivo.',
      introductionOf: (operator) =>
        html`Per i dispositivi in questa rete (${operator}): tre passaggi, una volta per dispositivo.`,
      open: 'Connettersi alla rete. Inquadrare questo codice con la fotocamera o digitare l’indirizzo nel browser.',
      install:
        'Scaricare il certificato e installarlo come indicato nella pagina. Deve avere questo nome e questa impronta.',
      setProxy: 'Impostare il proxy come indicato nella pagina.',
    },
    details: {
      heading: 'Il certificato',
      name: 'Nome',
      subject: 'Soggetto',
      fingerprint: (algorithm) => `Impronta ${algorithm}`,
      validFrom: 'Valido dal',
      validUntil: 'Valido fino al',
      daysLeft: 'Giorni rimanenti',
    },
    next: {
      heading: 'Installare anche questo',
      from: (date) => `Sostituirà l’altro da questa data: ${date}. Installandolo ora, il cambio passerà inosservato.`,
      since: (date) => `Già in uso da questa data: ${date}. Installare anche questo certificato.`,
      sameSteps: 'I passaggi sono gli stessi. Nei comandi inserire il nome di questo file.',
    },
    elsewhere: {
      heading: 'Configurare un altro dispositivo',
      scan: 'Inquadrare questo codice con la fotocamera o digitare l’indirizzo:',
    },
  },
  privacy: {
    title: 'Informativa sulla privacy',
    introduction:
      'Questa informativa riguarda le pagine che il gateway mostra quando blocca, avverte o chiede un consenso. Indica quali dati vengono trattati e conservati.',
    purpose: {
      heading: '1. A che cosa servono queste pagine',
      text: 'Un gateway controlla le richieste web in base a regole. Quando si applica una regola, il browser viene indirizzato a questo portale, che spiega la decisione e, dove la regola lo consente, trasmette la scelta al gateway.',
    },
    processed: {
      heading: '2. Che cosa viene trattato per mostrare una pagina',
      text: 'L’indirizzo richiesto, la regola applicata, la sua categoria e un numero di riferimento giungono a questo portale in forma cifrata, all’interno dell’indirizzo della pagina. Vengono mostrati nella pagina; il punto 3 indica che cosa viene conservato. La lingua della pagina dipende dalle impostazioni del browser. Quando si prosegue, l’indirizzo IP del dispositivo e l’eventuale codice inserito vengono trasmessi al gateway; questo portale non conserva mai il codice.',
    },
    recorded: {
      heading: '3. Che cosa viene conservato',
      log: 'Per ogni richiesta il registro di questo portale conserva l’ora, il tipo di pagina, la regola, l’esito e il numero di riferimento, ma non il nome di chi naviga, né il suo indirizzo IP, né il codice.',
      logWithDestination:
        'Per ogni richiesta il registro di questo portale conserva l’ora, il tipo di pagina, la regola, l’esito e il numero di riferimento e, per le decisioni del gateway, l’indirizzo richiesto, ma non il nome di chi naviga, né il suo indirizzo IP, né il codice.',
      acceptance:
        'Quando si accettano le norme d’uso vengono registrati i dati seguenti: il numero di riferimento, la regola, la versione e il testo delle norme, la loro lingua, se il browser le aveva mostrate, l’ora, quante volte e con quale esito è stato interrogato il gateway e la versione di questo portale.',
      withoutAddress: 'L’indirizzo IP del dispositivo non viene registrato insieme a questi dati.',
      withAddress: 'Insieme a questi dati viene registrato l’indirizzo IP del dispositivo.',
      gateway: {
        unknown:
          'Il gateway tiene un proprio registro. Per le richieste che ferma e per quelle che consente può contenere: l’ora, l’indirizzo IP del dispositivo, il nome utente, il sito, la regola e il numero di riferimento.',
        stopped:
          'Per ogni richiesta che ferma, e quando si continua, il gateway registra l’ora, l’indirizzo IP del dispositivo, il nome utente se è noto, la regola e il numero di riferimento, ma non il sito.',
        stoppedWithSite:
          'Per ogni richiesta che ferma, il gateway registra l’ora, l’indirizzo IP del dispositivo, il nome utente se è noto, il sito, la regola e il numero di riferimento; quando si continua, gli stessi dati senza il sito.',
        every:
          'Per ogni richiesta, anche se consentita, e quando si continua, il gateway registra l’ora, l’indirizzo IP del dispositivo, il nome utente se è noto, la regola e il numero di riferimento, ma non il sito.',
        everyWithSite:
          'Per ogni richiesta, anche se consentita, il gateway registra l’ora, l’indirizzo IP del dispositivo, il nome utente se è noto, il sito, la regola e il numero di riferimento; quando si continua, gli stessi dati senza il sito.',
      },
      journal: {
        withSite: (days: string) =>
          `Il gateway conserva inoltre uno storico per ${days}. Per ogni richiesta che ferma, e quando si continua o si inserisce un codice, lo storico contiene l’ora, l’indirizzo IP del dispositivo, il nome utente e il gruppo se sono noti, il sito, la regola, la sua categoria, il suo elenco e il numero di riferimento.`,
        withoutSite: (days: string) =>
          `Il gateway conserva inoltre uno storico per ${days}. Per ogni richiesta che ferma, e quando si continua o si inserisce un codice, lo storico contiene l’ora, l’indirizzo IP del dispositivo, il nome utente e il gruppo se sono noti, la regola, la sua categoria, il suo elenco e il numero di riferimento, ma non il sito.`,
        named: (days: string) =>
          `L’indirizzo IP e il nome utente vi restano per ${days}; poi li sostituiscono degli pseudonimi.`,
        pseudonyms: 'Al posto dell’indirizzo IP e del nome utente contiene pseudonimi.',
        unknown: 'Il gateway può anche conservare gli stessi dati per un certo tempo in uno storico.',
      },
      memory:
        'Fino al riavvio, il gateway tiene in memoria gli indirizzi web completi delle ultime richieste che ha fermato.',
      session:
        'Finché si può continuare, o finché un sito è sbloccato in via eccezionale, il gateway lo ricorda insieme all’indirizzo IP e al nome utente; conta anche i codici errati.',
      elsewhere: {
        unknown: 'Altre parti di questa rete, come il proxy, possono tenere registri propri.',
        on: 'Il proxy di questa rete registra ogni richiesta: l’ora, l’indirizzo IP del dispositivo, il nome utente se è noto, il sito e l’esito, ma non il resto dell’indirizzo. Altre parti di questa rete possono tenere registri propri.',
        off: 'Il proxy di questa rete non registra i siti visitati. Altre parti di questa rete possono tenere registri propri.',
      },
    },
    device: {
      heading: '4. Che cosa viene conservato sul dispositivo',
      text: 'Quando si sceglie una lingua o vengono mostrate le norme d’uso, un cookie firmato ricorda la lingua e le norme mostrate, con il relativo numero di riferimento. Scade al termine della sessione del browser. Se si sceglie il tema chiaro o scuro, il browser conserva la scelta nella propria memoria, senza trasmetterla. Non vi sono né tracciamento né contenuti di terzi.',
    },
    contact: {
      heading: '5. Diritti e contatti',
      text: (operator) =>
        html`È possibile chiedere quali dati personali siano registrati, farli rettificare ed esercitare gli altri diritti previsti dalla legge contattando ${operator}, che gestisce questo gateway. Il gestore stabilisce anche per quanto tempo i dati vengono conservati.`,
    },
  },
}
