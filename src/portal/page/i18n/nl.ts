// The Dutch catalogue, for the Netherlands and Belgium. Formal “u”; buttons are infinitives, as in any Dutch software. The
// operator follows “met”, which suits both the fallback and any name.
import { html } from '../../../html/html.ts'
import type { Messages } from './en.ts'

export const nl: Messages = {
  topbar: {
    language: 'Taal',
    dark: 'Donkere modus',
    skip: 'Naar de inhoud',
    preview: 'Voorbeeld met testgegevens: niets hiervan is echt.',
  },
  footer: {
    privacy: 'Privacyverklaring',
    certificate: 'Certificaat',
    certificateError: 'Waarom zag ik een certificaatfout?',
    support: 'Contact met de helpdesk',
  },
  operator: {
    fallback: 'uw netwerkbeheerder',
  },
  details: {
    heading: 'Gegevens',
    requestedAddress: 'Opgevraagd adres',
    rule: 'Regel',
    category: 'Categorie',
    reference: 'Referentie',
    time: 'Tijdstip',
    support: 'Hulp',
    version: 'Portaalversie',
    labelled: (label: string, value: string) => `${label}: ${value}`,
    copy: 'Gegevens kopiëren',
    copied: 'Gekopieerd',
    selected: 'Tekst geselecteerd. Kopieer die met het toetsenbord of via het menu.',
    shortened: 'Het adres is ingekort.',
  },
  block: {
    title: 'Pagina geblokkeerd',
    heading: 'Deze pagina is geblokkeerd',
    noReason: 'De regels van dit netwerk staan deze pagina niet toe.',
    next: (operator) => html`Een vergissing? Neem contact op met ${operator} en vermeld de gegevens hieronder.`,
  },
  warn: {
    title: 'Waarschuwing',
    heading: 'Wees voorzichtig met deze website',
    headingCode: 'Voor deze pagina hebt u een code nodig',
    headingTerminal: 'U kunt deze pagina hier niet openen',
    noReason: 'De regels van dit netwerk raden deze pagina af.',
    next: 'Ga alleen door als u deze website kent en nodig hebt. Uw keuze wordt vastgelegd.',
    nextFor: (time) =>
      html`Ga alleen door als u deze website kent en nodig hebt. Uw keuze wordt vastgelegd en geldt ${time}.`,
    proceed: 'Toch doorgaan',
    terminal: (operator) => html`Deze pagina nodig? Neem contact op met ${operator} en vermeld de gegevens hieronder.`,
  },
  aup: {
    title: 'Gebruiksregels',
    heading: 'Lees dit voordat u doorgaat',
    noReason: 'Op dit netwerk moet u eerst akkoord gaan met de gebruiksregels.',
    policyHeading: 'Gebruiksregels',
    accept: 'Akkoord en doorgaan',
    byContinuing: 'Als u doorgaat, gaat u akkoord met deze regels. Uw akkoord wordt vastgelegd.',
    byUnlocking: 'Als u de pagina ontgrendelt, gaat u akkoord met deze regels. Uw akkoord wordt vastgelegd.',
    toCode: 'Code invoeren',
    terminal: (operator) =>
      html`U kunt hier niet akkoord gaan met deze regels. Deze pagina nodig? Neem contact op met ${operator} en vermeld de gegevens hieronder.`,
    policy: {
      introduction:
        'Dit netwerk is bedoeld voor werk, studie en andere toegestane doeleinden. Wie het gebruikt, gaat akkoord met de volgende regels.',
      rules: [
        'Houd u aan de wet. Bekijk, deel en bewaar niets wat verboden is.',
        'Respecteer anderen: geen intimidatie, bedreigingen of kwetsende inhoud.',
        'Bescherm accounts en apparaten. Houd wachtwoorden voor uzelf en omzeil geen filters of beveiligingsinstellingen.',
        'Verwerk vertrouwelijke gegevens en persoonsgegevens alleen als u daartoe bevoegd bent.',
        'Houd bij het gebruik rekening met anderen, zodat het netwerk voor iedereen goed werkt.',
        'De toegang tot het web wordt gefilterd. Verzoeken kunnen worden vastgelegd om het netwerk te beveiligen en misbruik te onderzoeken.',
      ],
      conclusion:
        'Wie zich niet aan deze regels houdt, kan de toegang verliezen. Is iets niet duidelijk, vraag het dan voordat u doorgaat.',
    },
  },
  opensAgain: (day, time) => `Deze pagina is ${day} om ${time} uur weer beschikbaar.`,
  goBack: 'Terug',
  nothingToGoBackTo: 'Als er niets gebeurt, kunt u deze pagina sluiten.',
  report: 'Vergissing melden',
  askForAccess: 'Toegang aanvragen',
  acknowledge: {
    destination: (host) => html`U gaat naar ${host}.`,
    session: (time) => html`Daarna wordt dit ${time} lang niet opnieuw gevraagd.`,
  },
  clickTooSoon: 'Die klik kwam te snel. Klik nog een keer.',
  override: {
    pin: 'Pincode',
    passphrase: 'Wachtwoordzin',
    explanation: {
      pin: 'Voer de code in. De cursor schuift vanzelf op.',
      passphrase: 'Voer de code in om deze pagina te openen.',
    },
    digit: (place, length) => `Cijfer ${place} van ${length}`,
    show: 'Tonen',
    hide: 'Verbergen',
    unlock: 'Ontgrendelen',
    needsScript: 'Om de code in te voeren is JavaScript nodig. Schakel het in en laad deze pagina opnieuw.',
    checking: 'Wordt gecontroleerd…',
    incomplete: 'Voer de volledige code in.',
    wrong: 'De code is onjuist.',
    attemptsLeft: { one: 'Nog {n} poging.', other: 'Nog {n} pogingen.' },
    lockOver: 'U kunt het nu opnieuw proberen.',
    trouble: 'De gateway reageerde niet. Uw code kan juist zijn: probeer het opnieuw.',
    unlocked: 'Ontgrendeld. De pagina wordt geopend…',
    unlockedShortened: 'Ontgrendeld.',
    continueToPage: 'Naar de pagina',
  },
  outcome: {
    reopen: 'Pagina opnieuw openen',
    contact: (operator) => html`Blijft dit gebeuren, neem dan contact op met ${operator}.`,
    tell: (operator) => html`Neem contact op met ${operator}.`,
    notFound: {
      title: 'Pagina niet gevonden',
      text: 'Op dit adres is niets te vinden.',
      advice: 'Open de website die u zocht. Als die geblokkeerd is, ziet u waarom.',
    },
    methodNotAllowed: {
      title: 'Dit verzoek wordt niet ondersteund',
      text: 'Naar dit adres kunt u niets verzenden.',
      advice: 'Open de website opnieuw.',
    },
    tooLong: {
      title: 'Adres te lang',
      text: 'Het adres van deze pagina is langer dan de gateway toestaat.',
      advice: 'Open de website opnieuw.',
    },
    malformed: {
      title: 'Adres onvolledig',
      text: 'Het adres van deze pagina is onvolledig of gewijzigd.',
      advice: 'Ga rechtstreeks naar de website, niet via een gekopieerde of opgeslagen link.',
    },
    wrongVersion: {
      title: 'De gateway en dit portaal passen niet bij elkaar',
      text: 'De gateway en dit portaal gebruiken verschillende versies.',
    },
    invalid: {
      title: 'Deze link is ongeldig',
      text: 'Deze link komt niet van de gateway of is onderweg gewijzigd.',
      advice: 'Ga rechtstreeks naar de website, niet via een gekopieerde of opgeslagen link.',
    },
    expired: {
      title: 'Deze link is verlopen',
      text: 'Links van de gateway werken maar enkele minuten.',
      advice: 'Open de website opnieuw om een nieuwe link te krijgen.',
    },
    contentBlocked: {
      title: 'Inhoud geblokkeerd',
      text: (operator) => html`Deze inhoud is op dit netwerk geblokkeerd. Vragen? Neem contact op met ${operator}.`,
    },
    acknowledgementOff: {
      title: 'U kunt van hieruit niet doorgaan',
      text: 'Dit portaal is niet ingesteld om uw keuze door te geven.',
    },
    crossSite: {
      title: 'Ga door op de pagina van de gateway',
      text: 'U kunt alleen doorgaan op de eigen pagina van de gateway.',
      advice: 'Open de website opnieuw en gebruik de knop op de pagina die verschijnt.',
    },
    acknowledgementPrefetch: {
      title: 'Klik zelf op de knop',
      text: 'Uw browser probeerde deze stap vooraf te laden. Dat werkt alleen als u zelf op de knop klikt.',
      advice: 'Open de website opnieuw en gebruik de knop op de pagina die verschijnt.',
    },
    acknowledgementExpired: {
      title: 'Deze pagina is verlopen',
      text: 'De gateway accepteert uw keuze vanaf deze pagina niet meer.',
      advice: 'Open de website opnieuw om een nieuwe pagina te krijgen.',
    },
    acknowledgementRefused: {
      title: 'Uw keuze is niet geaccepteerd',
      text: 'De pagina is mogelijk niet meer geldig.',
      advice: 'Open de website opnieuw om een nieuwe pagina te krijgen.',
    },
    codeMalformed: {
      title: 'De code kon niet worden gebruikt',
      text: 'De code ontbreekt, was niet nodig of is onleesbaar.',
      advice: 'Open de website opnieuw en voer de code in op de pagina die erom vraagt.',
    },
    codeRejected: {
      title: 'De code is onjuist',
      text: 'De gateway heeft de code niet geaccepteerd.',
      advice: 'Open de website opnieuw en voer de code nog een keer in.',
    },
    lockedOut: {
      title: 'Te veel pogingen',
      text: 'Er zijn te veel onjuiste codes ingevoerd.',
      advice: (time) => `Probeer het over ${time} opnieuw.`,
      at: (time) => `Om ${time} uur kunt u het opnieuw proberen.`,
    },
    engineUnreachable: {
      title: 'De gateway reageert niet zoals verwacht',
      text: 'Uw keuze kon niet worden doorgegeven. Dat ligt niet aan u.',
      advice: 'Probeer het over een ogenblik opnieuw.',
    },
    engineTooSlow: {
      title: 'De gateway deed er te lang over',
      text: 'Uw keuze is verzonden, maar er kwam niet op tijd antwoord.',
      advice: 'Probeer het over een ogenblik opnieuw.',
    },
    recordUnavailable: {
      title: 'Uw akkoord kon niet worden vastgelegd',
      text: 'U kunt pas doorgaan als uw akkoord is vastgelegd. Daarom is er niets naar de gateway verzonden.',
      advice: 'Probeer het over een ogenblik opnieuw.',
    },
    overloaded: {
      title: 'Op dit moment te veel verzoeken',
      text: 'Het portaal krijgt meer verzoeken dan het kan verwerken.',
      advice: 'Probeer het over enkele seconden opnieuw.',
    },
    superseded: {
      title: 'U bent meer dan één keer doorgegaan',
      text: 'Alleen uw laatste klik wordt aan de gateway doorgegeven. Een latere, misschien in een ander venster, heeft deze vervangen.',
      advice: 'Als de pagina daar niet is geopend, probeer het dan opnieuw.',
    },
    internal: {
      title: 'Er is iets misgegaan',
      text: 'Het probleem ligt bij het portaal, niet bij u.',
      advice: 'Probeer het over een ogenblik opnieuw.',
    },
  },
  certificate: {
    title: 'Certificaat installeren',
    heading: 'Het certificaat van dit netwerk installeren',
    why: 'Dit netwerk controleert versleutelde verbindingen met een eigen certificaat. Zolang uw apparaat dat niet vertrouwt, kan de browser de gateway niet van een aanvaller onderscheiden en toont hij een waarschuwing. Neem zo’n waarschuwing op elk ander netwerk serieus.',
    care: 'Installeer het alleen op apparaten die u op dit netwerk gebruikt. De gateway kan daarmee lezen wat ze via versleutelde verbindingen verzenden en ontvangen.',
    signInSheet:
      'In dit venster (van de aanmelding of van een app) kunt u geen certificaten installeren. Kopieer dit adres en open het in uw browser (op iPhone en iPad in Safari).',
    plainHttp:
      'Deze pagina is niet versleuteld verzonden, dus er kan mee geknoeid zijn. Vergelijk voordat u iets installeert de SHA-256-vingerafdruk met de vingerafdruk die u op papier of telefonisch hebt gekregen.',
    toFingerprints: 'Vingerafdrukken tonen',
    expiring: (date, days) =>
      `Dit certificaat verloopt op ${date} (nog ${days}). Daarna moet u een nieuw certificaat installeren.`,
    copy: 'Kopiëren',
    copied: 'Gekopieerd',
    trust: {
      heading: 'Controleren of het gelukt is',
      headingTrusted: 'Is het al geïnstalleerd?',
      testing: 'Bezig met testen…',
      trusted:
        'Vertrouwd. Deze browser accepteert het certificaat: u bent klaar, tenzij u ooit een waarschuwing over dit portaal hebt genegeerd.',
      untrusted:
        'Nog niet vertrouwd. Volg de stappen hierboven, start de browser zo nodig opnieuw en test nog een keer.',
      overHttps:
        'Als deze pagina zonder waarschuwing is geopend, wordt het certificaat vertrouwd. Open voor de zekerheid dit adres:',
      otherAddress: 'De test werkt niet op dit adres. Open dit adres:',
      noAnswer: 'Testen mislukt: het portaal reageerde niet op tijd. Probeer het over een ogenblik opnieuw.',
      test: 'Opnieuw testen',
    },
    install: {
      heading: 'Installatie',
      thisDevice: 'dit apparaat',
      download: 'Certificaat downloaden',
      downloadBlocked: 'Als de browser de download blokkeert, kies dan ‘Behouden’ of ‘Onveilig bestand downloaden’.',
      checked: (month) => `Stappen gecontroleerd in ${month}.`,
      ios: [
        'Download het bestand in Safari en tik op ‘Sta toe’.',
        'Open binnen 8 minuten Instellingen › Profiel gedownload (of Algemeen › VPN en apparaatbeheer).',
        'Tik op ‘Installeer’, voer de toegangscode in en tik nog een keer op ‘Installeer’.',
        (name) =>
          html`Sla deze stap niet over: open Instellingen › Algemeen › Info › Certificaatvertrouwensinstellingen, schakel ${name} in en tik op ‘Ga door’.`,
      ],
      android: [
        'Download het bestand zonder het te openen: u kiest het straks in Instellingen.',
        'Zoek in Instellingen naar ‘CA‑certificaat’. Vindt u niets: Beveiliging en privacy › Meer beveiliging en privacy › Versleuteling en inloggegevens › Een certificaat installeren (bij Samsung: Beveiliging en privacy › Meer beveiligingsinstellingen › Installeren vanuit telefoonopslag). Kies ‘CA‑certificaat’, niet dat voor VPN of wifi.',
        'Tik op ‘Toch installeren’, ontgrendel het scherm en kies het bestand. Heeft het apparaat geen schermvergrendeling, dan vraagt het u er een in te stellen.',
      ],
      androidNote:
        'Vanaf Android 15 verschijnt na elke herstart een melding dat het netwerk mogelijk wordt gecontroleerd. Dat is normaal. Browsers accepteren het certificaat; de meeste andere apps negeren het.',
      macos: [
        'Download het bestand en open het. Voeg het in Sleutelhangertoegang toe aan de sleutelhanger ‘Systeem’.',
        (name) =>
          html`Klik dubbel op ${name}, open ‘Vertrouw’ en kies bij ‘Bij gebruik van dit certificaat’ voor ‘Vertrouw altijd’.`,
        'Sluit het venster en voer uw wachtwoord in.',
      ],
      macosCommand: 'Of in Terminal (vraagt om het wachtwoord van een beheerder):',
      windows: [
        'Download het bestand, open het en kies ‘Certificaat installeren’.',
        'Kies ‘Lokale computer’ of, zonder beheerdersrechten, ‘Huidige gebruiker’.',
        'Kies ‘Alle certificaten in het onderstaande archief opslaan’ › Bladeren › Vertrouwde basiscertificeringsinstanties. De automatische optie zet het op de verkeerde plaats.',
        'Kies ‘Volgende’ en ‘Voltooien’, en bevestig.',
      ],
      windowsCommand: 'Of in PowerShell, uitgevoerd als administrator:',
      linux: ['Download het bestand.', 'Open een terminal in de map met het bestand en voer uit:'],
      firefoxElsewhere: 'Firefox 120 en later gebruikt het na een herstart.',
      firefoxDebian: 'Firefox heeft op Debian en Ubuntu een eigen certificaatarchief:',
      firefoxFedora:
        'Firefox uit de pakketten van Fedora of RHEL gebruikt het na een herstart. Firefox van Flathub of Mozilla heeft een eigen certificaatarchief:',
      firefoxImport:
        'Instellingen › Privacy en beveiliging › Certificaten › Certificaten beheren › Organisaties › Importeren. Kies het bestand en vink ‘Deze CA vertrouwen voor het identificeren van websites’ aan.',
      chrome:
        'Chrome op Linux ook: Instellingen › Privacy en beveiliging › Beveiliging › Certificaten beheren › Lokale certificaten › Aangepast › Door jou geïnstalleerd › Importeren. Of open rechtstreeks:',
    },
    proxy: {
      heading: 'De proxy instellen',
      text: 'Op dit netwerk hebben apparaten ook een proxy nodig. Vul waar het systeem een automatische configuratie aanbiedt het adres daarvan in, en anders de server en de poort.',
      server: 'Server',
      port: 'Poort',
      automatic: 'Automatisch (PAC)',
      where: {
        ios: 'Instellingen › Wifi › ⓘ naast dit netwerk › Configureer proxy › Automatisch',
        android:
          'Instellingen › Netwerk en internet › Internet › het tandwiel naast dit netwerk › het potlood › Geavanceerde opties › Proxy › Automatische proxyconfiguratie',
        windows: 'Instellingen › Netwerk en internet › Proxy › Installatiescript gebruiken › Instellen',
        macos: 'Systeeminstellingen › Wifi › Details naast dit netwerk › Proxy’s › Automatische proxyconfiguratie',
        debian: 'Instellingen › Netwerk › Netwerkproxy › Automatisch (GNOME)',
        rhel: 'Instellingen › Netwerk › Netwerkproxy › Automatisch (GNOME)',
      },
      sheet: 'Een blad om af te drukken en uit te delen',
    },
    sheet: {
      heading: 'Uw apparaat instellen',
      introduction: 'Voor apparaten op dit netwerk: drie stappen, één keer per apparaat.',
      introductionOf: (operator) =>
        html`Voor apparaten op dit netwerk (${operator}): drie stappen, één keer per apparaat.`,
      open: 'Maak verbinding met het netwerk. Scan deze code met de camera of typ het adres in de browser.',
      install:
        'Download het certificaat en installeer het zoals de pagina aangeeft. Het moet deze naam en deze vingerafdruk hebben.',
      setProxy: 'Stel de proxy in zoals de pagina aangeeft.',
    },
    details: {
      heading: 'Het certificaat',
      name: 'Naam',
      subject: 'Houder',
      fingerprint: (algorithm) => `${algorithm}-vingerafdruk`,
      validFrom: 'Geldig vanaf',
      validUntil: 'Geldig tot en met',
      daysLeft: 'Resterende dagen',
    },
    next: {
      heading: 'Installeer ook dit certificaat',
      from: (date) =>
        `Vanaf ${date} gebruikt de gateway in plaats daarvan dit certificaat. Installeer het nu al, dan merkt u niets van de overgang.`,
      since: (date) => `Sinds ${date} gebruikt de gateway dit certificaat. Installeer het ook.`,
      sameSteps: 'De stappen zijn dezelfde. Gebruik in opdrachten de naam van dit bestand.',
    },
    elsewhere: {
      heading: 'Een ander apparaat instellen',
      scan: 'Scan deze code met de camera van dat apparaat of typ het adres:',
    },
  },
  privacy: {
    title: 'Privacyverklaring',
    introduction:
      'Deze verklaring gaat over de pagina’s die de gateway toont als hij een verzoek blokkeert, waarschuwt of om uw akkoord vraagt. U leest hier welke gegevens ze verwerken en wat er wordt bewaard.',
    purpose: {
      heading: '1. Waar deze pagina’s voor dienen',
      text: 'Een gateway toetst webverzoeken aan regels. Als een regel van toepassing is, wordt uw browser naar dit portaal gestuurd. Het legt de beslissing uit en geeft, als de regel dat toestaat, uw keuze door aan de gateway.',
    },
    processed: {
      heading: '2. Wat er wordt verwerkt om een pagina te tonen',
      text: 'Het adres dat u hebt opgevraagd, de regel, de categorie ervan en een referentienummer worden versleuteld naar dit portaal gestuurd, als deel van het adres van de pagina. U krijgt ze te zien; in onderdeel 3 staat wat er wordt bewaard. De taal van de pagina hangt af van de instelling van uw browser. Als u doorgaat, worden het IP‑adres van uw apparaat en een eventueel ingevoerde code aan de gateway doorgegeven; dit portaal bewaart de code nooit.',
    },
    recorded: {
      heading: '3. Wat er wordt bewaard',
      log: 'Van elk verzoek legt dit portaal het tijdstip, het soort pagina, de regel, het resultaat en het referentienummer vast, maar niet uw naam, uw IP‑adres of de code.',
      logWithDestination:
        'Van elk verzoek legt dit portaal het tijdstip, het soort pagina, de regel, het resultaat en het referentienummer vast, en bij beslissingen van de gateway het opgevraagde adres, maar niet uw naam, uw IP‑adres of de code.',
      acceptance:
        'Als u akkoord gaat met regels, wordt het volgende vastgelegd: het referentienummer, de regel, de versie, tekst en taal van de gebruiksregels, of uw browser ze heeft getoond, het tijdstip, het aantal en de resultaten van de verzoeken aan de gateway en de versie van dit portaal.',
      withoutAddress: 'Het IP‑adres van uw apparaat wordt daarbij niet vastgelegd.',
      withAddress: 'Het IP‑adres van uw apparaat wordt daarbij ook vastgelegd.',
      gateway: {
        unknown:
          'De gateway houdt een eigen logboek bij. Daarin kan van verzoeken die hij tegenhoudt en van verzoeken die hij toestaat staan: het tijdstip, het IP‑adres van uw apparaat, uw gebruikersnaam, de website, de regel en het referentienummer.',
        stopped:
          'Van elk verzoek dat hij tegenhoudt, en als u doorgaat, legt de gateway het tijdstip, het IP‑adres van uw apparaat, uw gebruikersnaam (indien bekend), de regel en het referentienummer vast, maar niet de website.',
        stoppedWithSite:
          'Van elk verzoek dat hij tegenhoudt, legt de gateway het tijdstip, het IP‑adres van uw apparaat, uw gebruikersnaam (indien bekend), de website, de regel en het referentienummer vast; als u doorgaat, hetzelfde zonder de website.',
        every:
          'Van elk verzoek, ook als hij het toestaat, en als u doorgaat, legt de gateway het tijdstip, het IP‑adres van uw apparaat, uw gebruikersnaam (indien bekend), de regel en het referentienummer vast, maar niet de website.',
        everyWithSite:
          'Van elk verzoek, ook als hij het toestaat, legt de gateway het tijdstip, het IP‑adres van uw apparaat, uw gebruikersnaam (indien bekend), de website, de regel en het referentienummer vast; als u doorgaat, hetzelfde zonder de website.',
      },
      journal: {
        withSite: (days: string) =>
          `De gateway bewaart daarnaast ${days} lang een overzicht. Van elk verzoek dat hij tegenhoudt, en als u doorgaat of een code invoert, staan daarin het tijdstip, het IP‑adres van uw apparaat, uw gebruikersnaam en groep (indien bekend), de website, de regel, de categorie en lijst ervan en het referentienummer.`,
        withoutSite: (days: string) =>
          `De gateway bewaart daarnaast ${days} lang een overzicht. Van elk verzoek dat hij tegenhoudt, en als u doorgaat of een code invoert, staan daarin het tijdstip, het IP‑adres van uw apparaat, uw gebruikersnaam en groep (indien bekend), de regel, de categorie en lijst ervan en het referentienummer, maar niet de website.`,
        named: (days: string) =>
          `Uw IP‑adres en gebruikersnaam staan er ${days} in; daarna worden ze door pseudoniemen vervangen.`,
        pseudonyms: 'In plaats van uw IP‑adres en gebruikersnaam bevat het pseudoniemen.',
        unknown: 'De gateway kan dezelfde gegevens ook enige tijd in een overzicht bewaren.',
      },
      memory:
        'Tot hij opnieuw wordt gestart, heeft de gateway de volledige webadressen van de laatste verzoeken die hij heeft tegengehouden in het geheugen.',
      session:
        'Zolang u mag doorgaan of een website voor u is vrijgegeven, onthoudt de gateway dat met uw IP‑adres en gebruikersnaam; hij telt ook foute codes.',
      elsewhere: {
        unknown: 'Andere delen van dit netwerk, zoals de proxy, kunnen eigen logboeken bijhouden.',
        on: 'De proxy van dit netwerk legt elk verzoek vast: het tijdstip, het IP‑adres van uw apparaat, uw gebruikersnaam (indien bekend), de website en het resultaat, maar niet de rest van het adres. Andere delen van dit netwerk kunnen eigen logboeken bijhouden.',
        off: 'De proxy van dit netwerk legt niet vast wat u bezoekt. Andere delen van dit netwerk kunnen eigen logboeken bijhouden.',
      },
    },
    device: {
      heading: '4. Wat er op uw apparaat wordt bewaard',
      text: 'Als u een taal kiest of gebruiksregels te zien krijgt, onthoudt een ondertekende cookie de taal en welke regels bij welk referentienummer zijn getoond. De cookie wordt verwijderd als u de browser sluit. Kiest u de lichte of donkere modus, dan bewaart uw browser die keuze in de eigen opslag; ze wordt nergens naartoe gestuurd. U wordt niet gevolgd en er is geen inhoud van derden.',
    },
    contact: {
      heading: '5. Uw rechten en contact',
      text: (operator) =>
        html`U kunt vragen wat er over u is vastgelegd, het laten corrigeren of uw andere wettelijke rechten uitoefenen door contact op te nemen met ${operator}, de beheerder van deze gateway. De beheerder bepaalt ook hoelang gegevens worden bewaard.`,
    },
  },
}
