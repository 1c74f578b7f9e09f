// The Polish catalogue. It addresses the reader in the second person, as Polish software does, but without pronouns, and
// without past tenses, which would have a gender. Names and durations would inflect: they follow a colon or “jest nim”, in the
// nominative.
import { html } from '../../../html/html.ts'
import type { Messages } from './en.ts'

export const pl: Messages = {
  topbar: {
    language: 'Język',
    dark: 'Tryb ciemny',
    skip: 'Przejdź do treści',
    preview: 'Podgląd z przykładowymi danymi: nic tutaj nie jest prawdziwe.',
  },
  footer: {
    privacy: 'Informacja o prywatności',
    certificate: 'Certyfikat',
    certificateError: 'Dlaczego pojawił się błąd certyfikatu?',
    support: 'Skontaktuj się z pomocą',
  },
  operator: {
    fallback: 'administrator sieci',
  },
  details: {
    heading: 'Szczegóły',
    requestedAddress: 'Żądany adres',
    rule: 'Reguła',
    category: 'Kategoria',
    reference: 'Nr ref.',
    time: 'Data i godzina',
    support: 'Pomoc',
    version: 'Wersja portalu',
    labelled: (label: string, value: string) => `${label}: ${value}`,
    copy: 'Kopiuj szczegóły',
    copied: 'Skopiowano',
    selected: 'Zaznaczono tekst. Skopiuj go klawiaturą lub z menu.',
    shortened: 'Adres został skrócony.',
  },
  block: {
    title: 'Strona zablokowana',
    heading: 'Ta strona jest zablokowana',
    noReason: 'Zasady tej sieci nie pozwalają otworzyć tej strony.',
    next: (operator) => html`Pomyłka? Zgłoś ją, podając poniższe szczegóły. Kontakt: ${operator}.`,
  },
  warn: {
    title: 'Ostrzeżenie',
    heading: 'Uważaj na tę witrynę',
    headingCode: 'Ta strona wymaga kodu',
    headingTerminal: 'Tej strony nie można tu otworzyć',
    noReason: 'Zasady tej sieci odradzają otwieranie tej strony.',
    next: 'Kontynuuj tylko wtedy, gdy znasz tę witrynę i jej potrzebujesz. Wybór zostanie zapisany.',
    nextFor: (time) =>
      html`Kontynuuj tylko wtedy, gdy znasz tę witrynę i jej potrzebujesz. Wybór zostanie zapisany. Czas jego ważności: ${time}.`,
    proceed: 'Kontynuuj mimo to',
    terminal: (operator) =>
      html`Potrzebujesz tej strony? Poproś o dostęp, podając poniższe szczegóły. Kontakt: ${operator}.`,
  },
  aup: {
    title: 'Zasady korzystania z sieci',
    heading: 'Przeczytaj, zanim przejdziesz dalej',
    noReason: 'W tej sieci najpierw trzeba zaakceptować zasady korzystania.',
    policyHeading: 'Zasady korzystania z sieci',
    accept: 'Akceptuję i przechodzę dalej',
    byContinuing: 'Przechodząc dalej, akceptujesz te zasady. Akceptacja zostanie zapisana.',
    byUnlocking: 'Odblokowując stronę, akceptujesz te zasady. Akceptacja zostanie zapisana.',
    toCode: 'Wpisz kod',
    terminal: (operator) =>
      html`Tutaj nie można zaakceptować tych zasad. Potrzebujesz tej strony? Poproś o dostęp, podając poniższe szczegóły. Kontakt: ${operator}.`,
    policy: {
      introduction:
        'Ta sieć służy do pracy, nauki i innych dozwolonych celów. Korzystanie z niej oznacza zgodę na poniższe zasady.',
      rules: [
        'Przestrzegaj prawa. Nie otwieraj, nie udostępniaj i nie przechowuj nielegalnych treści.',
        'Szanuj innych: żadnego nękania, gróźb ani poniżających treści.',
        'Chroń konta i urządzenia. Nie ujawniaj haseł i nie omijaj filtrów ani ustawień zabezpieczeń.',
        'Dane poufne i osobowe przetwarzaj tylko wtedy, gdy masz do tego uprawnienia.',
        'Korzystaj z sieci tak, aby działała dobrze dla wszystkich.',
        'Dostęp do internetu jest filtrowany, a żądania mogą być zapisywane, aby chronić sieć i wyjaśniać nadużycia.',
      ],
      conclusion:
        'Naruszenie tych zasad może oznaczać utratę dostępu. Jeśli coś jest niejasne, zapytaj, zanim przejdziesz dalej.',
    },
  },
  opensAgain: (day, time) => `Ta strona będzie znów dostępna ${day} o ${time}.`,
  goBack: 'Wstecz',
  nothingToGoBackTo: 'Jeśli nic się nie dzieje, możesz zamknąć tę stronę.',
  report: 'Zgłoś pomyłkę',
  askForAccess: 'Poproś o dostęp',
  acknowledge: {
    destination: (host) => html`Miejsce docelowe: ${host}.`,
    session: (time) => html`Czas dostępu bez ponownego pytania: ${time}.`,
  },
  clickTooSoon: 'To kliknięcie nastąpiło za szybko. Kliknij jeszcze raz.',
  override: {
    pin: 'Kod PIN',
    passphrase: 'Hasło',
    explanation: {
      pin: 'Wpisz kod. Kursor przesuwa się sam.',
      passphrase: 'Wpisz kod, aby otworzyć tę stronę.',
    },
    digit: (place, length) => `Cyfra ${place} z ${length}`,
    show: 'Pokaż',
    hide: 'Ukryj',
    unlock: 'Odblokuj',
    needsScript: 'Do wpisania kodu potrzebny jest JavaScript. Włącz go i załaduj tę stronę ponownie.',
    checking: 'Sprawdzanie…',
    incomplete: 'Wpisz cały kod.',
    wrong: 'Kod jest nieprawidłowy.',
    attemptsLeft: {
      one: 'Została {n} próba.',
      few: 'Zostały {n} próby.',
      many: 'Zostało {n} prób.',
      other: 'Zostało {n} próby.',
    },
    lockOver: 'Możesz już spróbować ponownie.',
    trouble: 'Brama nie odpowiedziała. Kod może być prawidłowy: spróbuj ponownie.',
    unlocked: 'Odblokowano. Otwieranie strony…',
    unlockedShortened: 'Odblokowano.',
    continueToPage: 'Przejdź do strony',
  },
  outcome: {
    reopen: 'Otwórz stronę ponownie',
    contact: (operator) => html`Jeśli problem się powtarza, zgłoś go. Kontakt: ${operator}.`,
    tell: (operator) => html`Zgłoś ten problem. Kontakt: ${operator}.`,
    notFound: {
      title: 'Nie znaleziono strony',
      text: 'Pod tym adresem nic nie ma.',
      advice: 'Otwórz witrynę, której szukasz. Jeśli jest zablokowana, zobaczysz powód.',
    },
    methodNotAllowed: {
      title: 'Nieobsługiwane żądanie',
      text: 'Pod ten adres nie można niczego wysłać.',
      advice: 'Otwórz witrynę ponownie.',
    },
    tooLong: {
      title: 'Adres jest za długi',
      text: 'Adres tej strony jest dłuższy, niż pozwala brama.',
      advice: 'Otwórz witrynę ponownie.',
    },
    malformed: {
      title: 'Adres jest niepełny',
      text: 'Adres tej strony jest niepełny lub został zmieniony.',
      advice: 'Otwórz witrynę bezpośrednio, a nie ze skopiowanego lub zapisanego linku.',
    },
    wrongVersion: {
      title: 'Brama i ten portal nie pasują do siebie',
      text: 'Brama i ten portal używają różnych wersji.',
    },
    invalid: {
      title: 'Ten link jest nieprawidłowy',
      text: 'Ten link nie pochodzi od bramy lub został po drodze zmieniony.',
      advice: 'Otwórz witrynę bezpośrednio, a nie ze skopiowanego lub zapisanego linku.',
    },
    expired: {
      title: 'Ten link wygasł',
      text: 'Linki od bramy działają tylko kilka minut.',
      advice: 'Otwórz witrynę ponownie, aby otrzymać nowy link.',
    },
    contentBlocked: {
      title: 'Treść zablokowana',
      text: (operator) => html`Ta treść jest w tej sieci zablokowana. Kontakt w razie pytań: ${operator}.`,
    },
    acknowledgementOff: {
      title: 'Stąd nie można przejść dalej',
      text: 'Ten portal nie jest skonfigurowany do przekazywania wyboru.',
    },
    crossSite: {
      title: 'Przejdź dalej ze strony bramy',
      text: 'Dalej można przejść tylko z własnej strony bramy.',
      advice: 'Otwórz witrynę ponownie i użyj przycisku na stronie, która się pojawi.',
    },
    acknowledgementPrefetch: {
      title: 'Trzeba nacisnąć przycisk',
      text: 'Przeglądarka próbowała załadować ten krok z wyprzedzeniem. Działa on tylko po naciśnięciu przycisku.',
      advice: 'Otwórz witrynę ponownie i użyj przycisku na stronie, która się pojawi.',
    },
    acknowledgementExpired: {
      title: 'Ta strona wygasła',
      text: 'Brama nie przyjmuje już wyboru z tej strony.',
      advice: 'Otwórz witrynę ponownie, aby otrzymać nową stronę.',
    },
    acknowledgementRefused: {
      title: 'Wybór nie został przyjęty',
      text: 'Ta strona może już być nieważna.',
      advice: 'Otwórz witrynę ponownie, aby otrzymać nową stronę.',
    },
    codeMalformed: {
      title: 'Nie udało się użyć kodu',
      text: 'Kodu brakuje, nie był potrzebny lub nie można go odczytać.',
      advice: 'Otwórz witrynę ponownie i wpisz kod na stronie, która o niego prosi.',
    },
    codeRejected: {
      title: 'Kod jest nieprawidłowy',
      text: 'Brama nie przyjęła kodu.',
      advice: 'Otwórz witrynę ponownie i wpisz kod jeszcze raz.',
    },
    lockedOut: {
      title: 'Za dużo prób',
      text: 'Nieprawidłowy kod wpisano zbyt wiele razy.',
      advice: (time) => `Czas do następnej próby: ${time}.`,
      at: (time) => `Możesz spróbować ponownie o ${time}.`,
    },
    engineUnreachable: {
      title: 'Brama nie odpowiada prawidłowo',
      text: 'Nie udało się przekazać wyboru. To nie jest błąd użytkownika.',
      advice: 'Spróbuj ponownie za chwilę.',
    },
    engineTooSlow: {
      title: 'Brama zbyt długo nie odpowiada',
      text: 'Wybór został wysłany, ale odpowiedź nie nadeszła na czas.',
      advice: 'Spróbuj ponownie za chwilę.',
    },
    recordUnavailable: {
      title: 'Nie udało się zapisać akceptacji',
      text: 'Dalej można przejść dopiero po zapisaniu akceptacji, dlatego do bramy nic nie wysłano.',
      advice: 'Spróbuj ponownie za chwilę.',
    },
    overloaded: {
      title: 'W tej chwili jest zbyt wiele żądań',
      text: 'Portal otrzymuje więcej żądań, niż może obsłużyć.',
      advice: 'Spróbuj ponownie za kilka sekund.',
    },
    superseded: {
      title: 'Wybór wysłano więcej niż raz',
      text: 'Do bramy trafia tylko ostatnie kliknięcie. Nowsze kliknięcie, być może w innym oknie, zastąpiło poprzednie.',
      advice: 'Jeśli strona tam się nie otworzyła, spróbuj ponownie.',
    },
    internal: {
      title: 'Coś poszło nie tak',
      text: 'Problem leży po stronie portalu.',
      advice: 'Spróbuj ponownie za chwilę.',
    },
  },
  certificate: {
    title: 'Instalacja certyfikatu',
    heading: 'Zainstaluj certyfikat tej sieci',
    why: 'Ta sieć kontroluje szyfrowane połączenia przy użyciu własnego certyfikatu. Dopóki urządzenie mu nie ufa, przeglądarka nie może odróżnić bramy od atakującego i wyświetla ostrzeżenie. W każdej innej sieci traktuj takie ostrzeżenie poważnie.',
    care: 'Instaluj go tylko na urządzeniach używanych w tej sieci. Dzięki niemu brama może czytać to, co wysyłają i odbierają przez szyfrowane połączenia.',
    signInSheet:
      'W tym oknie (logowania lub aplikacji) nie można instalować certyfikatów. Skopiuj ten adres i otwórz go w przeglądarce (na iPhonie i iPadzie w Safari).',
    plainHttp:
      'Ta strona została przesłana bez szyfrowania, więc ktoś mógł ją zmienić. Zanim cokolwiek zainstalujesz, porównaj odcisk SHA-256 z tym, który podano na papierze lub przez telefon.',
    toFingerprints: 'Pokaż odciski',
    expiring: (date, days) =>
      `Ten certyfikat wygasa ${date} r. (pozostały czas: ${days}). Potem trzeba będzie zainstalować nowy.`,
    copy: 'Kopiuj',
    copied: 'Skopiowano',
    trust: {
      heading: 'Sprawdź, czy się udało',
      headingTrusted: 'Czy jest już zainstalowany?',
      testing: 'Sprawdzanie…',
      trusted:
        'Zaufany. Ta przeglądarka akceptuje certyfikat: to wszystko, chyba że kiedyś pominięto w niej ostrzeżenie dotyczące tego portalu.',
      untrusted:
        'Jeszcze nie jest zaufany. Wykonaj powyższe kroki, w razie potrzeby uruchom przeglądarkę ponownie i sprawdź jeszcze raz.',
      overHttps:
        'Jeśli ta strona otworzyła się bez ostrzeżenia, certyfikat jest zaufany. Dla pewności otwórz ten adres:',
      otherAddress: 'Pod tym adresem sprawdzenie nie działa. Otwórz ten:',
      noAnswer: 'Nie udało się sprawdzić: portal nie odpowiedział na czas. Spróbuj ponownie za chwilę.',
      test: 'Sprawdź ponownie',
    },
    install: {
      heading: 'Instalacja',
      thisDevice: 'to urządzenie',
      download: 'Pobierz certyfikat',
      downloadBlocked: 'Jeśli przeglądarka blokuje pobieranie, wybierz „Zachowaj” lub „Pobierz niezabezpieczony plik”.',
      checked: (month) => `Kroki sprawdzono: ${month}.`,
      ios: [
        'W Safari pobierz plik i stuknij „Pozwól”.',
        'W ciągu 8 minut otwórz Ustawienia › Pobrany profil (lub Ogólne › VPN i zarządzanie urządzeniem).',
        'Stuknij „Instaluj”, wpisz kod i jeszcze raz stuknij „Instaluj”.',
        (name) =>
          html`Nie pomijaj tego kroku: otwórz Ustawienia › Ogólne › To urządzenie › Ustawienia zaufania certyfikatów, włącz ${name} i stuknij „Dalej”.`,
      ],
      android: [
        'Pobierz plik, ale go nie otwieraj: wybierzesz go w ustawieniach.',
        'W ustawieniach wyszukaj „certyfikat CA”. Jeśli nic się nie pojawi: Bezpieczeństwo i prywatność › Więcej ustawień zabezpieczeń i prywatności › Szyfrowanie i dane logowania › Zainstaluj certyfikat (w urządzeniach Samsung: Bezpieczeństwo i prywatność › Więcej ustawień zabezpieczeń › Instaluj z pamięci telefonu). Wybierz „Certyfikat CA”, a nie ten dla VPN lub Wi-Fi.',
        'Stuknij „Zainstaluj mimo to”, odblokuj ekran i wybierz plik. Jeśli urządzenie nie ma blokady ekranu, poprosi o jej ustawienie.',
      ],
      androidNote:
        'Od Androida 15 po każdym uruchomieniu pojawia się informacja, że sieć może być monitorowana. To normalne. Przeglądarki akceptują certyfikat, a większość innych aplikacji go ignoruje.',
      macos: [
        'Pobierz plik i otwórz go. W aplikacji Dostęp do pęku kluczy dodaj go do pęku kluczy „System”.',
        (name) =>
          html`Otwórz ten certyfikat dwukrotnym kliknięciem: ${name}. Rozwiń „Zaufanie” i w polu „Używając tego certyfikatu” wybierz „Zawsze ufaj”.`,
        'Zamknij okno i wpisz hasło.',
      ],
      macosCommand: 'Albo w Terminalu (wymaga hasła administratora):',
      windows: [
        'Pobierz plik, otwórz go i wybierz „Zainstaluj certyfikat”.',
        'Wybierz „Komputer lokalny” lub, bez uprawnień administratora, „Bieżący użytkownik”.',
        'Wybierz „Umieść wszystkie certyfikaty w następującym magazynie” › Przeglądaj › Zaufane główne urzędy certyfikacji. Opcja automatyczna umieszcza go w niewłaściwym miejscu.',
        'Wybierz „Dalej” i „Zakończ”, a potem potwierdź.',
      ],
      windowsCommand: 'Albo w programie PowerShell uruchomionym jako administrator:',
      linux: ['Pobierz plik.', 'Otwórz terminal w folderze z plikiem i wykonaj:'],
      firefoxElsewhere: 'Firefox 120 i nowszy używa go po ponownym uruchomieniu.',
      firefoxDebian: 'W systemach Debian i Ubuntu Firefox ma własny magazyn certyfikatów:',
      firefoxFedora:
        'Firefox z pakietów systemu Fedora lub RHEL używa go po ponownym uruchomieniu. Firefox z Flathub lub od Mozilli ma własny magazyn certyfikatów:',
      firefoxImport:
        'Ustawienia › Prywatność i bezpieczeństwo › Certyfikaty › Zarządzaj certyfikatami › Organy certyfikacji › Importuj. Wybierz plik i zaznacz „Zaufaj temu CA przy identyfikacji witryn internetowych”.',
      chrome:
        'Chrome w Linuksie też: Ustawienia › Prywatność i bezpieczeństwo › Bezpieczeństwo › Zarządzaj certyfikatami › Certyfikaty lokalne › Niestandardowe › Zainstalowane przez Ciebie › Importuj. Albo otwórz bezpośrednio:',
    },
    proxy: {
      heading: 'Ustaw serwer proxy',
      text: 'W tej sieci urządzenia potrzebują też serwera proxy. Jeśli system pozwala na konfigurację automatyczną, wpisz jej adres; w przeciwnym razie wpisz serwer i port.',
      server: 'Serwer',
      port: 'Port',
      automatic: 'Automatycznie (PAC)',
      where: {
        ios: 'Ustawienia › Wi-Fi › ⓘ obok tej sieci › Konfiguruj proxy › Automatycznie',
        android:
          'Ustawienia › Sieć i internet › Internet › koło zębate obok tej sieci › ołówek › Opcje zaawansowane › Serwer proxy › Autokonfiguracja serwera proxy',
        windows: 'Ustawienia › Sieć i Internet › Serwer proxy › Użyj skryptu konfiguracji › Skonfiguruj',
        macos:
          'Ustawienia systemowe › Wi-Fi › Szczegóły obok tej sieci › Serwery proxy › Automatyczna konfiguracja proxy',
        debian: 'Ustawienia › Sieć › Pośrednik sieciowy › Automatycznie (GNOME)',
        rhel: 'Ustawienia › Sieć › Pośrednik sieciowy › Automatycznie (GNOME)',
      },
      sheet: 'Kartka do wydrukowania i rozdania',
    },
    sheet: {
      heading: 'Skonfiguruj urządzenie',
      introduction: 'Dla urządzeń w tej sieci: trzy kroki, jeden raz na każdym urządzeniu.',
      introductionOf: (operator) =>
        html`Dla urządzeń w tej sieci (${operator}): trzy kroki, jeden raz na każdym urządzeniu.`,
      open: 'Połącz się z siecią. Zeskanuj ten kod aparatem lub wpisz adres w przeglądarce.',
      install: 'Pobierz certyfikat i zainstaluj go zgodnie z instrukcją na stronie. Musi mieć tę nazwę i ten odcisk.',
      setProxy: 'Ustaw serwer proxy zgodnie z instrukcją na stronie.',
    },
    details: {
      heading: 'Certyfikat',
      name: 'Nazwa',
      subject: 'Podmiot',
      fingerprint: (algorithm) => `Odcisk ${algorithm}`,
      validFrom: 'Ważny od',
      validUntil: 'Ważny do',
      daysLeft: 'Pozostałe dni',
    },
    next: {
      heading: 'Zainstaluj też ten certyfikat',
      from: (date) =>
        `Od ${date} r. brama będzie używać tego certyfikatu zamiast poprzedniego. Zainstaluj go już teraz, a zmiana przejdzie niezauważona.`,
      since: (date) => `Od ${date} r. brama używa tego certyfikatu. Również go zainstaluj.`,
      sameSteps: 'Kroki są takie same. W poleceniach użyj nazwy tego pliku.',
    },
    elsewhere: {
      heading: 'Skonfiguruj inne urządzenie',
      scan: 'Zeskanuj ten kod jego aparatem lub wpisz adres:',
    },
  },
  privacy: {
    title: 'Informacja o prywatności',
    introduction:
      'Ta informacja dotyczy stron, które brama wyświetla, gdy blokuje żądanie, ostrzega lub prosi o zgodę. Wyjaśnia, jakie dane są przetwarzane i co jest zapisywane.',
    purpose: {
      heading: '1. Do czego służą te strony',
      text: 'Brama sprawdza żądania internetowe według reguł. Gdy któraś ma zastosowanie, przeglądarka jest kierowana do tego portalu, który wyjaśnia decyzję i, jeśli reguła na to pozwala, przekazuje wybór użytkownika do bramy.',
    },
    processed: {
      heading: '2. Co jest przetwarzane, aby wyświetlić stronę',
      text: 'Żądany adres, reguła, jej kategoria i numer referencyjny trafiają do tego portalu w postaci zaszyfrowanej, jako część adresu strony. Są wyświetlane na stronie; punkt 3 wyjaśnia, co jest zapisywane. Język strony zależy od ustawień przeglądarki. Po przejściu dalej adres IP urządzenia i ewentualnie wpisany kod są przekazywane do bramy; ten portal nigdy nie zapisuje kodu.',
    },
    recorded: {
      heading: '3. Co jest zapisywane',
      log: 'Dla każdego żądania portal zapisuje czas, rodzaj strony, regułę, wynik i numer referencyjny, ale nie imię i nazwisko użytkownika, jego adres IP ani kod.',
      logWithDestination:
        'Dla każdego żądania portal zapisuje czas, rodzaj strony, regułę, wynik i numer referencyjny, a przy decyzjach bramy także żądany adres, ale nie imię i nazwisko użytkownika, jego adres IP ani kod.',
      acceptance:
        'Po zaakceptowaniu zasad zapisywane są: numer referencyjny, reguła, wersja, treść i język zasad, informacja, czy przeglądarka je wyświetliła, czas, liczba i wyniki żądań do bramy oraz wersja tego portalu.',
      withoutAddress: 'Adres IP urządzenia nie jest przy tym zapisywany.',
      withAddress: 'Zapisywany jest przy tym także adres IP urządzenia.',
      gateway: {
        unknown:
          'Brama prowadzi własny dziennik. Dla żądań, które zatrzymuje, i dla tych, na które zezwala, może on zawierać: czas, adres IP urządzenia, nazwę użytkownika, witrynę, regułę i numer referencyjny.',
        stopped:
          'Dla każdego zatrzymanego żądania i przy przejściu dalej brama zapisuje czas, adres IP urządzenia, nazwę użytkownika, jeśli ją zna, regułę i numer referencyjny, ale nie witrynę.',
        stoppedWithSite:
          'Dla każdego zatrzymanego żądania brama zapisuje czas, adres IP urządzenia, nazwę użytkownika, jeśli ją zna, witrynę, regułę i numer referencyjny; przy przejściu dalej to samo bez witryny.',
        every:
          'Dla każdego żądania, także dozwolonego, i przy przejściu dalej brama zapisuje czas, adres IP urządzenia, nazwę użytkownika, jeśli ją zna, regułę i numer referencyjny, ale nie witrynę.',
        everyWithSite:
          'Dla każdego żądania, także dozwolonego, brama zapisuje czas, adres IP urządzenia, nazwę użytkownika, jeśli ją zna, witrynę, regułę i numer referencyjny; przy przejściu dalej to samo bez witryny.',
      },
      journal: {
        withSite: (days: string) =>
          `Brama przechowuje ponadto historię przez ${days}. Dla każdego zatrzymanego żądania oraz przy przejściu dalej lub wpisaniu kodu zawiera ona czas, adres IP urządzenia, nazwę użytkownika i grupę, jeśli są znane, witrynę, regułę, jej kategorię i listę oraz numer referencyjny.`,
        withoutSite: (days: string) =>
          `Brama przechowuje ponadto historię przez ${days}. Dla każdego zatrzymanego żądania oraz przy przejściu dalej lub wpisaniu kodu zawiera ona czas, adres IP urządzenia, nazwę użytkownika i grupę, jeśli są znane, regułę, jej kategorię i listę oraz numer referencyjny, ale nie witrynę.`,
        named: (days: string) =>
          `Adres IP i nazwa użytkownika pozostają w niej przez ${days}, potem zastępują je pseudonimy.`,
        pseudonyms: 'Zamiast adresu IP i nazwy użytkownika zawiera pseudonimy.',
        unknown: 'Te same dane brama może też przez pewien czas przechowywać w historii.',
      },
      memory: 'Do ponownego uruchomienia brama ma w pamięci pełne adresy stron z ostatnich zatrzymanych żądań.',
      session:
        'Dopóki można przejść dalej lub witryna jest wyjątkowo odblokowana, brama pamięta to wraz z adresem IP i nazwą użytkownika; liczy też błędne kody.',
      elsewhere: {
        unknown: 'Inne części tej sieci, na przykład serwer proxy, mogą prowadzić własne dzienniki.',
        on: 'Serwer proxy tej sieci zapisuje każde żądanie: czas, adres IP urządzenia, nazwę użytkownika, jeśli ją zna, witrynę i wynik, ale nie resztę adresu. Inne części tej sieci mogą prowadzić własne dzienniki.',
        off: 'Serwer proxy tej sieci nie zapisuje, co jest odwiedzane. Inne części tej sieci mogą prowadzić własne dzienniki.',
      },
    },
    device: {
      heading: '4. Co jest przechowywane na urządzeniu',
      text: 'Po wybraniu języka lub wyświetleniu zasad podpisany plik cookie pamięta język oraz to, które zasady wyświetlono z którym numerem referencyjnym. Jest usuwany po zamknięciu przeglądarki. Wybór trybu jasnego lub ciemnego przeglądarka przechowuje we własnej pamięci i nigdzie go nie wysyła. Nie ma śledzenia ani treści innych podmiotów.',
    },
    contact: {
      heading: '5. Prawa i kontakt',
      text: (operator) =>
        html`Można zapytać o zapisane dane na swój temat, zażądać ich poprawienia i skorzystać z innych praw wynikających z przepisów. Takie prośby należy kierować do operatora tej bramy. Jest nim ${operator}. Operator decyduje także o tym, jak długo dane są przechowywane.`,
    },
  },
}
