// The Italian catalogue. Buttons are commands to the machine, as in any Italian software; whatever addresses the reader
// is impersonal. The operator always follows a verb, so that no preposition has to merge with the fallback's article.
import { html } from '../html/html.ts'
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
    support: 'Assistenza',
  },
  operator: {
    fallback: 'l’amministratore di rete',
  },
  details: {
    heading: 'Dettagli',
    site: 'Indirizzo richiesto',
    rule: 'Regola',
    category: 'Categoria',
    reference: 'Riferimento',
    time: 'Data e ora',
    version: 'Versione del portale',
    labelled: (label: string, value: string) => `${label}: ${value}`,
    copy: 'Copia i dettagli',
    copied: 'Dettagli copiati',
    selected: 'Testo selezionato: copiarlo con la tastiera o dal menu.',
    shortened: 'L’indirizzo è stato abbreviato.',
  },
  certificateError: {
    question: 'Perché è comparso un errore di certificato?',
    answer:
      'Per controllare le connessioni cifrate, il gateway usa certificati propri. Un dispositivo che non ne conosce l’emittente non può distinguere il gateway da un malintenzionato e segnala un errore. Su qualsiasi altra rete, un errore simile va preso sul serio.',
    setUp: 'Configura questo dispositivo',
  },
  block: {
    title: 'Pagina bloccata',
    heading: 'Questa pagina è bloccata',
    noReason: 'Le regole di questa rete non la consentono.',
    next: (operator) =>
      html`Da qui non è possibile proseguire. Se si ritiene che si tratti di un errore, contattare ${operator} e comunicare i dettagli riportati sotto.`,
  },
  warn: {
    title: 'Avviso su questa pagina',
    heading: 'Attenzione a questa pagina',
    noReason: 'Le regole di questa rete la sconsigliano.',
    next: 'È possibile proseguire se si conosce il sito e se ne ha bisogno. Il gateway registra la scelta.',
    proceed: 'Prosegui comunque',
    terminal: (operator) =>
      html`Da qui non è possibile proseguire. Se questa pagina è necessaria, contattare ${operator} e comunicare i dettagli riportati sotto.`,
  },
  aup: {
    title: 'Norme d’uso',
    heading: 'Da leggere prima di proseguire',
    noReason: 'Le regole di questa rete richiedono prima il consenso di chi la usa.',
    policyHeading: 'Norme d’uso',
    accept: 'Accetto e proseguo',
    byContinuing: 'Proseguendo si accettano queste norme. L’accettazione viene registrata.',
    byUnlocking: 'Sbloccando la pagina si accettano queste norme. L’accettazione viene registrata.',
    toCode: 'Inserire il codice',
    terminal: (operator) =>
      html`Qui non è possibile accettare queste norme. Se questa pagina è necessaria, contattare ${operator} e comunicare i dettagli riportati sotto.`,
    policy: {
      introduction:
        'Questa rete è messa a disposizione per il lavoro, lo studio e gli scopi per cui è stata predisposta. Chi la usa accetta le norme seguenti.',
      rules: [
        'Rispettare la legge. Non aprire, condividere o salvare nulla di ciò che vieta.',
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
  clickHeld: 'Il clic è arrivato troppo presto. Fare clic di nuovo.',
  override: {
    pin: 'PIN',
    passphrase: 'Frase segreta',
    explanation: 'Questa pagina si può aprire con un codice.',
    digit: (place, length) => `Cifra ${place} di ${length}`,
    show: 'Mostra',
    unlock: 'Sblocca',
    needsScript: 'Il codice si può inserire solo con JavaScript attivo. Attivarlo e ricaricare questa pagina.',
    incomplete: 'Inserire il codice completo.',
    wrong: 'Il codice non è corretto.',
    attemptsLeft: { one: 'Resta {n} tentativo.', other: 'Restano {n} tentativi.' },
    lockOver: 'Ora è possibile riprovare.',
    trouble: 'Il gateway non ha risposto. Il codice non è stato rifiutato: riprovare tra poco.',
    unlocked: 'Pagina sbloccata.',
    goOn: 'Vai alla pagina',
  },
  outcome: {
    wayBack: 'Apri di nuovo l’indirizzo',
    ask: (operator) => html`Se il problema persiste, contattare ${operator}.`,
    notFound: {
      title: 'Pagina non trovata',
      text: 'A questo indirizzo non c’è nulla.',
      advice: 'Aprire di nuovo il sito desiderato. Se il gateway lo blocca, ne verrà indicato il motivo.',
    },
    methodNotAllowed: {
      title: 'Operazione non possibile',
      text: 'Questo indirizzo può essere soltanto consultato.',
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
      title: 'Versioni non compatibili',
      text: 'Il gateway e questo portale usano versioni diverse.',
      advice: 'Non è possibile risolvere il problema da qui.',
    },
    invalid: {
      title: 'Indirizzo non valido',
      text: 'Questo indirizzo non proviene dal gateway o è stato modificato lungo il percorso.',
      advice: 'Aprire di nuovo il sito desiderato, senza usare un indirizzo copiato o salvato.',
    },
    expired: {
      title: 'Questo link è scaduto',
      text: 'Le pagine del gateway sono valide solo per pochi minuti.',
      advice: 'Aprire di nuovo il sito desiderato per ottenere un nuovo link.',
    },
    contentBlocked: {
      title: 'Contenuto bloccato',
      text: (operator) => html`Questo contenuto è bloccato in questa rete: per informazioni, contattare ${operator}.`,
    },
    acknowledgementOff: {
      title: 'Da qui non è possibile proseguire',
      text: 'L’inoltro delle conferme è disattivato in questo portale.',
      advice: 'Non è possibile risolvere il problema da qui.',
    },
    acknowledgementElsewhere: {
      title: 'Non da questa pagina',
      text: 'È possibile proseguire solo dalla pagina del gateway stesso.',
      advice: 'Aprire di nuovo il sito desiderato e usare il pulsante che compare.',
    },
    acknowledgementPrefetch: {
      title: 'Nessun caricamento anticipato',
      text: 'Questo passaggio attende che una persona prema il pulsante.',
      advice: 'Aprire di nuovo il sito desiderato e usare il pulsante che compare.',
    },
    acknowledgementExpired: {
      title: 'È passato troppo tempo',
      text: 'Il gateway non accetta più questa conferma.',
      advice: 'Aprire di nuovo il sito per ottenere una nuova pagina.',
    },
    acknowledgementRefused: {
      title: 'Conferma non accettata',
      text: 'Il gateway non ha accettato questa conferma.',
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
      advice: 'Aprire di nuovo il sito e inserire il codice ancora una volta.',
    },
    lockedOut: {
      title: 'Troppi tentativi',
      text: 'Ci sono stati troppi tentativi in poco tempo.',
      advice: (time) => `Sarà possibile riprovare tra ${time}.`,
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
      text: 'Senza la registrazione non si può proseguire: nulla è stato inoltrato al gateway.',
      advice: 'Riprovare tra poco.',
    },
    overloaded: {
      title: 'Troppe richieste in questo momento',
      text: 'Le richieste in arrivo superano quelle a cui è possibile rispondere.',
      advice: 'Riprovare tra qualche secondo.',
    },
    superseded: {
      title: 'Conferma inviata più volte',
      text: 'Solo l’ultimo clic viene inoltrato al gateway. Un clic più recente, forse in un’altra finestra, ha sostituito questo.',
      advice: 'Tornare all’altra finestra o riprovare.',
    },
    internal: {
      title: 'Qui si è verificato un problema',
      text: 'L’errore è del portale, non di chi lo usa.',
      advice: 'Riprovare tra poco.',
    },
  },
  certificate: {
    title: 'Installazione del certificato',
    heading: 'Installare il certificato di questa rete',
    why: 'Il gateway di questa rete controlla anche le connessioni cifrate. I dispositivi senza il suo certificato mostrano avvisi al posto dei siti.',
    care: 'Installarlo solo sui dispositivi che si usano in questa rete. Con il certificato il gateway può leggere ciò che inviano e ricevono attraverso connessioni cifrate.',
    signInSheet:
      'Questa finestra è stata aperta per l’accesso alla rete o da un’app e non può installare certificati. Copiare questo indirizzo e aprirlo nel browser, su iPhone o iPad in Safari.',
    plainHttp:
      'Questa pagina è arrivata attraverso una connessione non cifrata: nessuno può garantirne l’autenticità. Prima di installare, confrontare l’impronta SHA-256 con quella ricevuta per altra via, ad esempio su carta o al telefono.',
    toFingerprints: 'Mostra le impronte',
    expiring: (date, days) =>
      `Questo certificato sta per scadere: ${date} (ancora ${days}). In seguito occorrerà installarne uno nuovo.`,
    copy: 'Copia',
    copied: 'Copiato',
    trust: {
      heading: 'È già installato?',
      testing: 'Verifica in corso…',
      trusted:
        'Attendibile: questo browser accetta il certificato. A meno che in passato non sia stato ignorato un avviso su questo portale, qui non resta altro da fare.',
      untrusted:
        'Non ancora attendibile: questo browser non accetta il certificato. Seguire i passaggi qui sotto, se necessario riavviare il browser e verificare di nuovo.',
      overHttps:
        'Attraverso una connessione cifrata non è possibile stabilirlo, perché potrebbe essere stato ignorato un avviso. Se non ve ne sono stati, il certificato è attendibile. Per esserne certi, aprire questo indirizzo:',
      otherAddress: 'A questo indirizzo non è possibile stabilirlo. Per la verifica aprire il seguente:',
      noAnswer: 'Impossibile stabilirlo: il portale non ha risposto in tempo. Verificare di nuovo tra poco.',
      test: 'Verifica di nuovo',
    },
    install: {
      heading: 'Installazione',
      thisDevice: 'questo dispositivo',
      download: 'Scarica il certificato',
      checked: (month) => `Passaggi controllati a ${month}.`,
      ios: [
        'Scaricare il file in Safari e consentire il download.',
        'Entro 8 minuti aprire Impostazioni › Profilo scaricato, oppure Impostazioni › Generali › VPN e gestione dispositivo. Può restare in attesa un solo profilo.',
        'Toccare «Installa», inserire il codice e toccare di nuovo «Installa».',
        (name) =>
          html`Il passaggio che sfugge facilmente: aprire Impostazioni › Generali › Info › Impostazioni attendibilità certificati e attivare ${name}.`,
      ],
      android: [
        'Scaricare il file. Aprirlo non serve: va scelto nelle impostazioni.',
        'Cercare «certificato CA» nelle impostazioni. Se non si trova: Sicurezza › Altro › Crittografia e credenziali › Installa un certificato › Certificato CA. Non è quello per VPN e app, né quello per il Wi-Fi.',
        'Toccare «Installa comunque», sbloccare lo schermo e scegliere il file. Se manca il blocco schermo, il dispositivo chiede prima di impostarlo.',
      ],
      androidNote:
        'Da Android 15 in poi, dopo ogni riavvio compare un avviso secondo cui la rete potrebbe essere monitorata. I browser accettano il certificato, quasi tutte le altre app lo ignorano.',
      macos: [
        'Scaricare il file e aprirlo. In Accesso Portachiavi aggiungerlo al portachiavi «Sistema».',
        (name) =>
          html`Cercarvi ${name}, scegliere «Ottieni informazioni», aprire «Attendibilità» e scegliere «Fidati sempre» per questo certificato.`,
        'Chiudere la finestra e inserire la propria password.',
      ],
      macosCommand: 'Oppure nel Terminale, che chiede la password di un amministratore:',
      windows: [
        'Scaricare il file, aprirlo e scegliere «Installa certificato».',
        'Scegliere «Computer locale» oppure, senza diritti di amministratore, «Utente corrente».',
        'Scegliere «Colloca tutti i certificati nel seguente archivio» › Sfoglia › Autorità di certificazione radice attendibili. La selezione automatica lo mette nel posto sbagliato.',
        'Scegliere «Avanti», poi «Fine», e confermare.',
      ],
      windowsCommand: 'Oppure in PowerShell, aperto come amministratore:',
      linux: ['Scaricare il file.', 'Aprire un terminale nella cartella che contiene il file ed eseguire:'],
      firefox:
        'Su Linux Firefox ha un archivio proprio: Impostazioni › Privacy e sicurezza › Certificati › Mostra certificati › Autorità › Importa. Scegliere il file e spuntare la casella per i siti web.',
      chrome:
        'Anche Chrome su Linux: Impostazioni › Privacy e sicurezza › Sicurezza › Gestisci certificati › Certificati locali › Personalizzati, tra quelli installati dall’utente, Importa. Si raggiunge anche a questo indirizzo:',
    },
    details: {
      heading: 'Il certificato',
      subject: 'Soggetto',
      fingerprint: (algorithm) => `Impronta ${algorithm}`,
      validFrom: 'Valido dal',
      validUntil: 'Valido fino al',
      daysLeft: 'Giorni rimanenti',
    },
    next: {
      heading: 'Installare anche questo',
      from: (date) =>
        `In uso al posto dell’altro a partire da questa data: ${date}. Installandolo già ora, non ci si accorgerà del cambio.`,
      since: (date) => `Già in uso da questa data: ${date}. Installare anche questo certificato.`,
      sameSteps: 'I passaggi sono gli stessi. Nei comandi inserire il nome di questo file.',
    },
    elsewhere: {
      heading: 'Proseguire su un telefono',
      scan: 'Inquadrare questo codice con la fotocamera, oppure digitare l’indirizzo:',
    },
  },
  privacy: {
    title: 'Informativa sulla privacy',
    introduction:
      'Questa informativa riguarda le pagine che il gateway mostra quando blocca, avverte o chiede un consenso. Indica che cosa trattano e che cosa viene conservato.',
    purpose: {
      heading: '1. A che cosa servono queste pagine',
      text: 'Un gateway controlla le richieste web in base a regole. Quando si applica una regola, il browser viene indirizzato a questo portale, che spiega la decisione e, dove la regola lo consente, trasmette la scelta al gateway.',
    },
    processed: {
      heading: '2. Che cosa viene trattato per mostrare una pagina',
      text: 'L’indirizzo richiesto, la regola applicata, la sua categoria e un numero di riferimento giungono a questo portale in forma cifrata, all’interno dell’indirizzo della pagina. Vengono mostrati a chi la visita; il punto 3 indica che cosa ne viene conservato. La lingua della pagina dipende dalle impostazioni del browser. Quando si prosegue, l’indirizzo di rete del dispositivo e l’eventuale codice inserito vengono trasmessi al gateway; questo portale non conserva mai il codice.',
    },
    recorded: {
      heading: '3. Che cosa viene registrato',
      log: 'Per ogni richiesta il registro di questo portale conserva l’ora, il tipo di pagina, la regola, l’esito e il numero di riferimento, ma non il nome di chi naviga, né il suo indirizzo di rete, né il codice.',
      logWithDestination:
        'Per ogni richiesta il registro di questo portale conserva l’ora, il tipo di pagina, la regola, l’esito e il numero di riferimento e, per le decisioni del gateway, l’indirizzo richiesto, ma non il nome di chi naviga, né il suo indirizzo di rete, né il codice.',
      acceptance:
        'Quando si accettano le norme d’uso vengono registrati i dati seguenti: il numero di riferimento, la regola, la versione e il testo delle norme, la loro lingua, se il browser le aveva mostrate, l’ora, quante volte e con quale esito è stato interrogato il gateway e la versione di questo portale.',
      withoutAddress: 'L’indirizzo di rete del dispositivo non viene registrato insieme a questi dati.',
      withAddress: 'Insieme a questi dati viene registrato l’indirizzo di rete del dispositivo.',
      gateway:
        'Il gateway tiene un proprio registro, in cui il numero di riferimento permette di risalire alla richiesta.',
    },
    device: {
      heading: '4. Che cosa viene conservato sul dispositivo',
      text: 'Quando si sceglie una lingua o vengono mostrate le norme d’uso, un cookie firmato ricorda la lingua e le norme mostrate, con il relativo numero di riferimento. Scade al termine della sessione del browser. Se si sceglie il tema chiaro o scuro, il browser conserva la scelta nella propria memoria, senza trasmetterla. Non vi sono né tracciamento né contenuti provenienti da altri indirizzi.',
    },
    contact: {
      heading: '5. Diritti e contatti',
      text: (operator) =>
        html`È possibile chiedere quali dati personali siano registrati, farli rettificare ed esercitare gli altri diritti previsti dalla legge contattando ${operator}, che gestisce questo gateway. Il gestore stabilisce anche per quanto tempo i dati vengono conservati.`,
    },
  },
}
