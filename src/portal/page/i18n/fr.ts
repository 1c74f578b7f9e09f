// The French catalogue. The spaces that French sets before high punctuation are written as escapes, so that they show.
import { html } from '../../../html/html.ts'
import type { Messages } from './en.ts'

export const fr: Messages = {
  topbar: {
    language: 'Langue',
    dark: 'Thème sombre',
    skip: 'Aller au contenu',
    preview: 'Aperçu avec des données d’exemple\u00a0: rien ici n’est réel.',
  },
  footer: {
    privacy: 'Politique de confidentialité',
    certificate: 'Certificat',
    certificateError: 'Pourquoi une erreur de certificat\u202f?',
    support: 'Contacter l’assistance',
  },
  operator: {
    fallback: 'votre administrateur réseau',
  },
  details: {
    heading: 'Détails',
    requestedAddress: 'Adresse demandée',
    rule: 'Règle',
    category: 'Catégorie',
    reference: 'Référence',
    time: 'Date et heure',
    support: 'Assistance',
    version: 'Version du portail',
    labelled: (label: string, value: string) => `${label}\u00a0: ${value}`,
    copy: 'Copier les détails',
    copied: 'Copié',
    selected: 'Texte sélectionné. Copiez-le avec le clavier ou le menu.',
    shortened: 'L’adresse a été raccourcie.',
  },
  block: {
    title: 'Page bloquée',
    heading: 'Cette page est bloquée',
    noReason: 'Les règles de ce réseau n’autorisent pas cette page.',
    next: (operator) => html`Une erreur\u202f? Contactez ${operator} en indiquant les détails ci\u2011dessous.`,
  },
  warn: {
    title: 'Avertissement',
    heading: 'Prudence avec ce site',
    headingCode: 'Cette page nécessite un code',
    headingTerminal: 'Cette page n’est pas accessible ici',
    noReason: 'Les règles de ce réseau déconseillent cette page.',
    next: 'Ne continuez que si vous connaissez ce site et en avez besoin. Votre choix est enregistré.',
    nextFor: (time) =>
      html`Ne continuez que si vous connaissez ce site et en avez besoin. Votre choix est enregistré et vaut pour ${time}.`,
    proceed: 'Continuer quand même',
    terminal: (operator) =>
      html`Besoin de cette page\u202f? Contactez ${operator} en indiquant les détails ci\u2011dessous.`,
  },
  aup: {
    title: 'Charte d’utilisation',
    heading: 'À lire avant de continuer',
    noReason: 'Ce réseau vous demande d’abord d’accepter sa charte.',
    policyHeading: 'Charte d’utilisation',
    accept: 'J’accepte et je continue',
    byContinuing: 'En continuant, vous acceptez cette charte. Votre acceptation est enregistrée.',
    byUnlocking: 'En déverrouillant la page, vous acceptez cette charte. Votre acceptation est enregistrée.',
    toCode: 'Saisir le code',
    terminal: (operator) =>
      html`Vous ne pouvez pas accepter cette charte ici. Besoin de cette page\u202f? Contactez ${operator} en indiquant les détails ci\u2011dessous.`,
    policy: {
      introduction:
        'Ce réseau est mis à disposition pour le travail, les études et les usages auxquels il est destiné. Toute personne qui l’utilise accepte les règles suivantes.',
      rules: [
        'Respectez la loi\u00a0: ne consultez, ne partagez et n’enregistrez rien d’illégal.',
        'Respectez les autres. Ni harcèlement, ni menaces, ni contenus dégradants.',
        'Protégez les comptes et les appareils. Gardez vos mots de passe pour vous et ne contournez ni les filtres ni les réglages de sécurité.',
        'Ne traitez des données confidentielles ou personnelles que si vous y êtes autorisé.',
        'Partagez équitablement les ressources du réseau, afin que le service reste bon pour tous.',
        'L’accès au web est filtré, et les requêtes peuvent être enregistrées pour protéger le réseau et traiter les abus.',
      ],
      conclusion:
        'Le non-respect de ces règles peut entraîner le retrait de votre accès. Si un point n’est pas clair, renseignez-vous avant de continuer.',
    },
  },
  opensAgain: (day, time) => `Cette page sera de nouveau accessible ${day} à ${time}.`,
  goBack: 'Retour',
  nothingToGoBackTo: 'Si rien ne se passe, vous pouvez fermer cette page.',
  report: 'Signaler une erreur',
  askForAccess: 'Demander l’accès',
  acknowledge: {
    destination: (host) => html`Vous irez sur ${host}.`,
    session: (time) => html`Cette question ne sera plus posée pendant ${time}.`,
  },
  clickTooSoon: 'Ce clic est arrivé trop tôt. Cliquez de nouveau.',
  override: {
    pin: 'Code PIN',
    passphrase: 'Phrase secrète',
    explanation: {
      pin: 'Saisissez le code. Le curseur avance seul.',
      passphrase: 'Saisissez le code pour ouvrir cette page.',
    },
    digit: (place, length) => `Chiffre ${place} sur ${length}`,
    show: 'Afficher',
    hide: 'Masquer',
    unlock: 'Déverrouiller',
    needsScript: 'La saisie du code nécessite JavaScript. Activez-le, puis rechargez cette page.',
    checking: 'Vérification…',
    incomplete: 'Saisissez le code complet.',
    wrong: 'Le code est incorrect.',
    attemptsLeft: { one: 'Il vous reste {n} tentative.', other: 'Il vous reste {n} tentatives.' },
    lockOver: 'Vous pouvez réessayer maintenant.',
    trouble: 'La passerelle n’a pas répondu. Le code est peut-être correct\u00a0: réessayez.',
    unlocked: 'Page déverrouillée. Ouverture…',
    unlockedShortened: 'Page déverrouillée.',
    continueToPage: 'Continuer vers la page',
  },
  outcome: {
    reopen: 'Rouvrir la page',
    contact: (operator) => html`Si le problème persiste, contactez ${operator}.`,
    tell: (operator) => html`Veuillez prévenir ${operator}.`,
    notFound: {
      title: 'Page introuvable',
      text: 'Il n’y a rien à cette adresse.',
      advice: 'Ouvrez le site souhaité. S’il est bloqué, vous verrez pourquoi.',
    },
    methodNotAllowed: {
      title: 'Requête non prise en charge',
      text: 'Cette adresse ne peut être que consultée.',
      advice: 'Ouvrez de nouveau le site que vous vouliez consulter.',
    },
    tooLong: {
      title: 'Adresse trop longue',
      text: 'L’adresse de cette page dépasse la longueur admise par la passerelle.',
      advice: 'Ouvrez de nouveau le site que vous vouliez consulter.',
    },
    malformed: {
      title: 'Adresse incomplète',
      text: 'L’adresse de cette page est incomplète ou a été modifiée.',
      advice: 'Ouvrez le site directement, sans passer par un lien copié ou enregistré.',
    },
    wrongVersion: {
      title: 'Versions incompatibles',
      text: 'La passerelle et ce portail n’utilisent pas la même version.',
    },
    invalid: {
      title: 'Ce lien n’est pas valide',
      text: 'Ce lien ne provient pas de la passerelle ou a été modifié en chemin.',
      advice: 'Ouvrez le site directement, sans passer par un lien copié ou enregistré.',
    },
    expired: {
      title: 'Ce lien a expiré',
      text: 'Les liens de la passerelle ne fonctionnent que quelques minutes.',
      advice: 'Ouvrez de nouveau le site que vous vouliez consulter pour obtenir un nouveau lien.',
    },
    contentBlocked: {
      title: 'Contenu bloqué',
      text: (operator) => html`Ce contenu est bloqué sur ce réseau. Pour toute question, contactez ${operator}.`,
    },
    acknowledgementOff: {
      title: 'Impossible de continuer ici',
      text: 'Ce portail n’est pas configuré pour transmettre votre choix.',
    },
    crossSite: {
      title: 'Impossible depuis cette page',
      text: 'Seule la page de la passerelle elle-même permet de continuer.',
      advice: 'Ouvrez de nouveau le site que vous vouliez consulter et utilisez le bouton qui s’affiche.',
    },
    acknowledgementPrefetch: {
      title: 'Une action est nécessaire',
      text: 'Votre navigateur a voulu charger cette étape à l’avance. Elle n’a lieu que si vous appuyez sur le bouton.',
      advice: 'Ouvrez de nouveau le site que vous vouliez consulter et utilisez le bouton qui s’affiche.',
    },
    acknowledgementExpired: {
      title: 'Délai dépassé',
      text: 'La passerelle n’accepte plus votre choix.',
      advice: 'Ouvrez de nouveau le site pour obtenir une nouvelle page.',
    },
    acknowledgementRefused: {
      title: 'Votre choix n’a pas été accepté',
      text: 'La page n’est peut-être plus valable.',
      advice: 'Ouvrez de nouveau le site pour obtenir une nouvelle page.',
    },
    codeMalformed: {
      title: 'Le code n’a pas pu être utilisé',
      text: 'Le code est absent, inattendu ou illisible.',
      advice: 'Ouvrez de nouveau le site et saisissez le code sur la page qui le demande.',
    },
    codeRejected: {
      title: 'Le code est incorrect',
      text: 'La passerelle n’a pas accepté le code.',
      advice: 'Rouvrez le site et saisissez de nouveau le code.',
    },
    lockedOut: {
      title: 'Trop de tentatives',
      text: 'Trop de codes incorrects ont été saisis.',
      advice: (time) => `Réessayez dans ${time}.`,
      at: (time) => `Vous pourrez réessayer à ${time}.`,
    },
    engineUnreachable: {
      title: 'La passerelle n’a pas répondu correctement',
      text: 'Votre choix n’a pas pu être transmis. Vous n’y êtes pour rien.',
      advice: 'Réessayez dans un instant.',
    },
    engineTooSlow: {
      title: 'La passerelle n’a pas répondu à temps',
      text: 'Votre choix a été transmis, mais aucune réponse n’est arrivée dans le délai prévu.',
      advice: 'Réessayez dans un instant.',
    },
    recordUnavailable: {
      title: 'Votre acceptation n’a pas pu être enregistrée',
      text: 'Vous ne pourrez continuer qu’une fois votre acceptation enregistrée\u00a0: rien n’a été transmis à la passerelle.',
      advice: 'Réessayez dans un instant.',
    },
    overloaded: {
      title: 'Trop de demandes en ce moment',
      text: 'Le portail reçoit plus de demandes qu’il ne peut en traiter.',
      advice: 'Réessayez dans quelques secondes.',
    },
    superseded: {
      title: 'Vous avez confirmé plusieurs fois',
      text: 'Seul votre dernier clic est transmis à la passerelle. Un clic plus récent, peut-être dans une autre fenêtre, a remplacé celui-ci.',
      advice: 'Si la page ne s’y est pas ouverte, réessayez.',
    },
    internal: {
      title: 'Un problème est survenu',
      text: 'L’erreur vient du portail, pas de vous.',
      advice: 'Réessayez dans un instant.',
    },
  },
  certificate: {
    title: 'Installer le certificat',
    heading: 'Installer le certificat de ce réseau',
    why: 'Ce réseau contrôle les connexions chiffrées avec son propre certificat. Tant que votre appareil ne le reconnaît pas, le navigateur ne peut pas distinguer la passerelle d’un pirate et affiche un avertissement. Sur tout autre réseau, prenez un tel avertissement au sérieux.',
    care: 'Ne l’installez que sur les appareils que vous utilisez sur ce réseau. Il permet à la passerelle de lire ce qu’ils envoient et reçoivent par des connexions chiffrées.',
    signInSheet:
      'Cette fenêtre (connexion au réseau ou application) ne permet pas d’installer un certificat. Copiez cette adresse et ouvrez-la dans votre navigateur (Safari sur un iPhone ou un iPad).',
    plainHttp:
      'Cette page vous est parvenue sans chiffrement\u00a0: elle a pu être modifiée. Avant d’installer, comparez l’empreinte SHA-256 avec celle que l’on vous a donnée sur papier ou par téléphone.',
    toFingerprints: 'Afficher les empreintes',
    expiring: (date, days) =>
      `Ce certificat expire le ${date} (encore ${days}). Il faudra ensuite en installer un nouveau.`,
    copy: 'Copier',
    copied: 'Copié',
    trust: {
      heading: 'Vérifier que l’installation a réussi',
      headingTrusted: 'Est-il déjà installé\u202f?',
      testing: 'Test en cours…',
      trusted:
        'Reconnu. Ce navigateur accepte le certificat\u00a0: il n’y a plus rien à faire, sauf si vous avez un jour ignoré un avertissement sur ce portail.',
      untrusted:
        'Pas encore reconnu. Suivez les étapes ci‑dessus, redémarrez le navigateur si nécessaire, puis testez de nouveau.',
      overHttps:
        'Si cette page s’est ouverte sans avertissement, le certificat est reconnu. Pour vous en assurer, ouvrez cette adresse\u00a0:',
      otherAddress: 'Le test ne fonctionne pas à cette adresse. Ouvrez celle-ci\u00a0:',
      noAnswer: 'Vérification impossible\u00a0: le portail n’a pas répondu à temps. Testez de nouveau dans un instant.',
      test: 'Tester de nouveau',
    },
    install: {
      heading: 'Installation',
      thisDevice: 'cet appareil',
      download: 'Télécharger le certificat',
      downloadBlocked:
        'Si le navigateur bloque le téléchargement, choisissez «\u00a0Conserver\u00a0» ou «\u00a0Télécharger le fichier non sécurisé\u00a0».',
      checked: (month) => `Étapes vérifiées en ${month}.`,
      ios: [
        'Dans Safari, téléchargez le fichier et touchez «\u00a0Autoriser\u00a0».',
        'Dans les 8 minutes, ouvrez Réglages › Profil téléchargé (ou Général › VPN et gestion de l’appareil).',
        'Touchez «\u00a0Installer\u00a0», saisissez le code, puis touchez de nouveau «\u00a0Installer\u00a0».',
        (name) =>
          html`N’oubliez pas cette étape\u00a0: ouvrez Réglages › Général › Informations › Réglages des certificats, activez ${name} et touchez «\u00a0Continuer\u00a0».`,
      ],
      android: [
        'Téléchargez le fichier, sans l’ouvrir\u00a0: vous le choisirez dans les paramètres.',
        'Cherchez «\u00a0certificat CA\u00a0» dans les paramètres. Sans résultat\u00a0: Sécurité et confidentialité › Plus de paramètres de sécurité et de confidentialité › Chiffrement et identifiants › Installer un certificat (sur Samsung\u00a0: Sécurité et confidentialité › Autres paramètres de sécurité › Installer depuis le stockage). Choisissez «\u00a0Certificat CA\u00a0», et non celui pour le VPN ou le Wi-Fi.',
        'Touchez «\u00a0Installer quand même\u00a0», déverrouillez l’écran et choisissez le fichier. Si l’écran n’est pas protégé, l’appareil demande d’abord de le verrouiller.',
      ],
      androidNote:
        'À partir d’Android 15, un avis signale après chaque redémarrage que le réseau peut être surveillé. Cet avis est normal. Les navigateurs acceptent le certificat, la plupart des autres applications l’ignorent.',
      macos: [
        'Téléchargez le fichier et ouvrez-le. Dans Trousseaux d’accès, ajoutez-le au trousseau «\u00a0Système\u00a0».',
        (name) =>
          html`Double-cliquez sur ${name}, ouvrez «\u00a0Se fier\u00a0» et choisissez «\u00a0Toujours approuver\u00a0».`,
        'Fermez la fenêtre et saisissez votre mot de passe.',
      ],
      macosCommand: 'Ou dans Terminal (mot de passe d’un administrateur requis)\u00a0:',
      windows: [
        'Téléchargez le fichier, ouvrez-le et choisissez «\u00a0Installer un certificat\u00a0».',
        'Choisissez «\u00a0Ordinateur local\u00a0» ou, sans droits d’administrateur, «\u00a0Utilisateur actuel\u00a0».',
        'Choisissez «\u00a0Placer tous les certificats dans le magasin suivant\u00a0» › Parcourir › Autorités de certification racines de confiance. La sélection automatique le place au mauvais endroit.',
        'Choisissez «\u00a0Suivant\u00a0», puis «\u00a0Terminer\u00a0», et confirmez.',
      ],
      windowsCommand: 'Ou dans PowerShell, exécuté en tant qu’administrateur\u00a0:',
      linux: [
        'Téléchargez le fichier.',
        'Ouvrez un terminal dans le dossier qui contient le fichier, et exécutez\u00a0:',
      ],
      firefoxElsewhere: 'Firefox 120 et versions ultérieures l’utilisent après un redémarrage.',
      firefoxDebian: 'Sous Debian et Ubuntu, Firefox a son propre magasin de certificats\u00a0:',
      firefoxFedora:
        'Le Firefox des paquets de Fedora ou de RHEL l’utilise après un redémarrage. Celui de Flathub ou de Mozilla a son propre magasin de certificats\u00a0:',
      firefoxImport:
        'Paramètres › Vie privée et sécurité › Certificats › Gérer les certificats › Autorités › Importer. Choisissez le fichier et cochez «\u00a0Confirmer cette AC pour identifier des sites web\u00a0».',
      chrome:
        'Chrome aussi, sous Linux\u00a0: Paramètres › Confidentialité et sécurité › Sécurité › Gérer les certificats › Certificats locaux › Personnalisé › Installé par vous › Importer. Ou ouvrez directement\u00a0:',
    },
    proxy: {
      heading: 'Régler le proxy',
      text: 'Sur ce réseau, les appareils ont aussi besoin d’un proxy. Si le système propose une configuration automatique, saisissez son adresse\u202f; sinon, le serveur et le port.',
      server: 'Serveur',
      port: 'Port',
      automatic: 'Automatique (PAC)',
      where: {
        ios: 'Réglages › Wi-Fi › ⓘ à côté de ce réseau › Configurer le proxy › Automatique',
        android:
          'Paramètres › Réseau et Internet › Internet › la roue dentée à côté de ce réseau › le crayon › Options avancées › Proxy › Configuration automatique du proxy',
        windows: 'Paramètres › Réseau et Internet › Proxy › Utiliser un script d’installation › Configurer',
        macos: 'Réglages Système › Wi-Fi › Détails à côté de ce réseau › Proxys › Configuration automatique du proxy',
        debian: 'Paramètres › Réseau › Serveur mandataire › Automatique (GNOME)',
        rhel: 'Paramètres › Réseau › Serveur mandataire › Automatique (GNOME)',
      },
      sheet: 'Une feuille à imprimer et à distribuer',
    },
    sheet: {
      heading: 'Configurer votre appareil',
      introduction: 'Pour les appareils sur ce réseau\u00a0: trois étapes, une fois par appareil.',
      introductionOf: (operator) =>
        html`Pour les appareils sur le réseau de ${operator}\u00a0: trois étapes, une fois par appareil.`,
      open: 'Connectez-vous au réseau. Scannez ce code avec l’appareil photo, ou saisissez l’adresse dans le navigateur.',
      install:
        'Téléchargez le certificat et installez-le comme la page l’indique. Il doit porter ce nom et cette empreinte.',
      setProxy: 'Réglez le proxy comme la page l’indique.',
    },
    details: {
      heading: 'Le certificat',
      name: 'Nom',
      subject: 'Sujet',
      fingerprint: (algorithm) => `Empreinte ${algorithm}`,
      validFrom: 'Valable à partir du',
      validUntil: 'Valable jusqu’au',
      daysLeft: 'Jours restants',
    },
    next: {
      heading: 'Installez aussi celui-ci',
      from: (date) =>
        `À partir du ${date}, la passerelle utilisera ce certificat à la place. Installez-le dès maintenant\u00a0: le changement passera inaperçu.`,
      since: (date) => `Depuis le ${date}, la passerelle utilise ce certificat. Installez-le également.`,
      sameSteps: 'Les étapes sont les mêmes. Dans les commandes, indiquez le nom de ce fichier.',
    },
    elsewhere: {
      heading: 'Configurer un autre appareil',
      scan: 'Scannez ce code avec son appareil photo ou saisissez l’adresse\u00a0:',
    },
  },
  privacy: {
    title: 'Politique de confidentialité',
    introduction:
      'Ce texte concerne les pages que la passerelle affiche lorsqu’elle bloque un accès, avertit ou demande un accord. Il indique quelles données sont traitées et conservées.',
    purpose: {
      heading: '1. À quoi servent ces pages',
      text: 'Une passerelle contrôle les requêtes web selon des règles. Lorsqu’une règle s’applique, votre navigateur est dirigé vers ce portail, qui explique la décision et, si la règle le permet, transmet votre choix à la passerelle.',
    },
    processed: {
      heading: '2. Ce qui est traité pour afficher une page',
      text: 'L’adresse que vous avez demandée, la règle appliquée, sa catégorie et un numéro de référence parviennent à ce portail sous forme chiffrée, dans l’adresse de la page. Ces informations vous sont présentées\u202f; le point 3 indique ce qui en est conservé. La langue de la page dépend des réglages de votre navigateur. Lorsque vous continuez, l’adresse IP de votre appareil et le code que vous avez éventuellement saisi sont transmis à la passerelle\u202f; ce portail n’enregistre jamais le code.',
    },
    recorded: {
      heading: '3. Ce qui est conservé',
      log: 'Pour chaque requête, le journal de ce portail conserve l’heure, le type de page, la règle, le résultat et le numéro de référence, mais ni votre nom, ni votre adresse IP, ni le code.',
      logWithDestination:
        'Pour chaque requête, le journal de ce portail conserve l’heure, le type de page, la règle, le résultat et le numéro de référence ainsi que, pour les décisions de la passerelle, l’adresse que vous avez demandée, mais ni votre nom, ni votre adresse IP, ni le code.',
      acceptance:
        'Lorsque vous acceptez une charte, les données suivantes sont enregistrées\u00a0: le numéro de référence, la règle, la version et le texte de la charte, sa langue, si votre navigateur l’avait affichée, l’heure, le nombre de demandes adressées à la passerelle et leur résultat, ainsi que la version de ce portail.',
      withoutAddress: 'L’adresse IP de votre appareil n’est pas enregistrée avec elles.',
      withAddress: 'L’adresse IP de votre appareil est enregistrée avec elles.',
      gateway: {
        unknown:
          'La passerelle tient son propre journal. Pour les requêtes qu’elle arrête comme pour celles qu’elle autorise, il peut contenir\u00a0: l’heure, l’adresse IP de votre appareil, votre nom d’utilisateur, le site, la règle et le numéro de référence.',
        stopped:
          'Pour chaque requête qu’elle arrête, et lorsque vous continuez, la passerelle journalise l’heure, l’adresse IP de votre appareil, votre nom d’utilisateur s’il est connu, la règle et le numéro de référence, mais pas le site.',
        stoppedWithSite:
          'Pour chaque requête qu’elle arrête, la passerelle journalise l’heure, l’adresse IP de votre appareil, votre nom d’utilisateur s’il est connu, le site, la règle et le numéro de référence\u202f; lorsque vous continuez, les mêmes données sans le site.',
        every:
          'Pour chaque requête, même autorisée, et lorsque vous continuez, la passerelle journalise l’heure, l’adresse IP de votre appareil, votre nom d’utilisateur s’il est connu, la règle et le numéro de référence, mais pas le site.',
        everyWithSite:
          'Pour chaque requête, même autorisée, la passerelle journalise l’heure, l’adresse IP de votre appareil, votre nom d’utilisateur s’il est connu, le site, la règle et le numéro de référence\u202f; lorsque vous continuez, les mêmes données sans le site.',
      },
      journal: {
        withSite: (days: string) =>
          `La passerelle conserve aussi un historique pendant ${days}. Pour chaque requête qu’elle arrête, et lorsque vous continuez ou saisissez un code, il contient l’heure, l’adresse IP de votre appareil, votre nom d’utilisateur et votre groupe s’ils sont connus, le site, la règle, sa catégorie, sa liste et le numéro de référence.`,
        withoutSite: (days: string) =>
          `La passerelle conserve aussi un historique pendant ${days}. Pour chaque requête qu’elle arrête, et lorsque vous continuez ou saisissez un code, il contient l’heure, l’adresse IP de votre appareil, votre nom d’utilisateur et votre groupe s’ils sont connus, la règle, sa catégorie, sa liste et le numéro de référence, mais pas le site.`,
        named: (days: string) =>
          `Votre adresse IP et votre nom d’utilisateur y figurent pendant ${days}\u202f; des pseudonymes les remplacent ensuite.`,
        pseudonyms: 'Des pseudonymes y figurent à la place de votre adresse IP et de votre nom d’utilisateur.',
        unknown: 'La passerelle peut aussi conserver les mêmes données pendant un certain temps dans un historique.',
      },
      memory:
        'Jusqu’à son redémarrage, la passerelle garde en mémoire les adresses web complètes des dernières requêtes qu’elle a arrêtées.',
      session:
        'Tant que vous pouvez continuer, ou qu’un site est ouvert pour vous, la passerelle garde cette information avec votre adresse IP et votre nom d’utilisateur\u202f; elle compte aussi les codes erronés.',
      elsewhere: {
        unknown: 'D’autres éléments de ce réseau, comme son proxy, peuvent tenir leurs propres journaux.',
        on: 'Le proxy de ce réseau journalise chaque requête\u00a0: l’heure, l’adresse IP de votre appareil, votre nom d’utilisateur s’il est connu, le site et le résultat, mais pas le reste de l’adresse. D’autres éléments de ce réseau peuvent tenir leurs propres journaux.',
        off: 'Le proxy de ce réseau ne journalise pas ce que vous consultez. D’autres éléments de ce réseau peuvent tenir leurs propres journaux.',
      },
    },
    device: {
      heading: '4. Ce qui est conservé sur votre appareil',
      text: 'Si vous choisissez une langue ou si une charte vous est présentée, un cookie signé mémorise la langue et la charte affichée, avec le numéro de référence correspondant. Il disparaît à la fin de la session du navigateur. Si vous choisissez le thème clair ou sombre, votre navigateur garde ce choix dans son propre espace de stockage, sans le transmettre. Il n’y a ni suivi, ni contenu tiers.',
    },
    contact: {
      heading: '5. Vos droits et comment les exercer',
      text: (operator) =>
        html`Vous pouvez demander quelles données vous concernant sont enregistrées, les faire rectifier et exercer les autres droits que la loi vous reconnaît en contactant ${operator}, exploitant de cette passerelle. L’exploitant décide aussi de la durée de conservation des données.`,
    },
  },
}
