// The French catalogue. The spaces that French sets before high punctuation are written as escapes, so that they show.
import { html } from '../html/html.ts'
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
    support: 'Contacter l’assistance',
  },
  operator: {
    fallback: 'votre administrateur réseau',
  },
  details: {
    heading: 'Détails',
    site: 'Adresse demandée',
    rule: 'Règle',
    category: 'Catégorie',
    reference: 'Référence',
    time: 'Date et heure',
    version: 'Version du portail',
    labelled: (label: string, value: string) => `${label}\u00a0: ${value}`,
    copy: 'Copier les détails',
    copied: 'Détails copiés',
    selected: 'Texte sélectionné\u00a0: copiez-le avec le clavier ou le menu.',
    shortened: 'L’adresse a été raccourcie.',
  },
  certificateError: {
    question: 'Pourquoi une erreur de certificat\u202f?',
    answer:
      'Pour contrôler les connexions chiffrées, la passerelle utilise ses propres certificats. Un appareil qui ne connaît pas leur émetteur ne peut pas la distinguer d’un pirate et signale une erreur. Sur tout autre réseau, prenez une telle erreur au sérieux.',
    setUp: 'Configurer cet appareil',
  },
  block: {
    title: 'Page bloquée',
    heading: 'Cette page est bloquée',
    noReason: 'Les règles de ce réseau ne l’autorisent pas.',
    next: (operator) =>
      html`Il n’est pas possible de continuer. Si vous pensez qu’il s’agit d’une erreur, contactez ${operator} en indiquant les détails ci-dessous.`,
  },
  warn: {
    title: 'Avertissement sur cette page',
    heading: 'Prudence avec cette page',
    noReason: 'Les règles de ce réseau la déconseillent.',
    next: 'Vous pouvez continuer si vous connaissez ce site et en avez besoin. La passerelle enregistre votre choix.',
    proceed: 'Continuer quand même',
    terminal: (operator) =>
      html`Il n’est pas possible de continuer. Si vous avez besoin de cette page, contactez ${operator} en indiquant les détails ci-dessous.`,
  },
  aup: {
    title: 'Charte d’utilisation',
    heading: 'À lire avant de continuer',
    noReason: 'Les règles de ce réseau demandent d’abord votre accord.',
    policyHeading: 'Charte d’utilisation',
    accept: 'J’accepte et je continue',
    byContinuing: 'En continuant, vous acceptez cette charte. Votre acceptation est enregistrée.',
    byUnlocking: 'En déverrouillant la page, vous acceptez cette charte. Votre acceptation est enregistrée.',
    toCode: 'Saisir le code',
    terminal: (operator) =>
      html`Cette charte ne peut pas être acceptée ici. Si vous avez besoin de cette page, contactez ${operator} en indiquant les détails ci-dessous.`,
    policy: {
      introduction:
        'Ce réseau est mis à disposition pour le travail, les études et les usages auxquels il est destiné. Toute personne qui l’utilise accepte les règles suivantes.',
      rules: [
        'Respectez la loi. N’ouvrez, ne partagez et n’enregistrez rien de ce qu’elle interdit.',
        'Respectez les autres. Ni harcèlement, ni menaces, ni contenus dégradants.',
        'Protégez les comptes et les appareils. Gardez vos mots de passe pour vous et ne contournez ni les filtres ni les réglages de sécurité.',
        'Ne traitez des données confidentielles ou personnelles que dans les cas où vous en avez le droit.',
        'Partagez équitablement les ressources du réseau, afin que le service reste bon pour tous.',
        'L’accès au web est filtré, et les requêtes peuvent être enregistrées pour protéger le réseau et traiter les abus.',
      ],
      conclusion:
        'Le non-respect de ces règles peut entraîner le retrait de votre accès. Si un point n’est pas clair, renseignez-vous avant de continuer.',
    },
  },
  clickHeld: 'Ce clic est arrivé trop tôt. Cliquez de nouveau.',
  override: {
    pin: 'Code PIN',
    passphrase: 'Phrase secrète',
    explanation: 'Un code permet d’ouvrir cette page.',
    digit: (place, length) => `Chiffre ${place} sur ${length}`,
    show: 'Afficher',
    unlock: 'Déverrouiller',
    needsScript: 'La saisie du code nécessite JavaScript. Activez-le, puis rechargez cette page.',
    incomplete: 'Veuillez saisir le code en entier.',
    wrong: 'Le code est incorrect.',
    attemptsLeft: { one: 'Il vous reste {n} tentative.', other: 'Il vous reste {n} tentatives.' },
    lockOver: 'Vous pouvez réessayer maintenant.',
    trouble: 'La passerelle n’a pas répondu. Votre code n’a pas été refusé\u00a0: réessayez dans un instant.',
    unlocked: 'Page déverrouillée.',
    goOn: 'Continuer vers la page',
  },
  outcome: {
    wayBack: 'Ouvrir de nouveau l’adresse',
    ask: (operator) => html`Si le problème persiste, contactez ${operator}.`,
    notFound: {
      title: 'Page introuvable',
      text: 'Il n’y a rien à cette adresse.',
      advice: 'Ouvrez de nouveau le site que vous vouliez consulter. Si la passerelle le bloque, vous verrez pourquoi.',
    },
    methodNotAllowed: {
      title: 'Action impossible',
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
      advice:
        'Ouvrez de nouveau le site que vous vouliez consulter, sans passer par une adresse copiée ou enregistrée.',
    },
    wrongVersion: {
      title: 'Versions incompatibles',
      text: 'La passerelle et ce portail n’utilisent pas la même version.',
      advice: 'Vous ne pouvez pas y remédier vous-même.',
    },
    invalid: {
      title: 'Adresse non valide',
      text: 'Cette adresse ne provient pas de la passerelle ou a été modifiée en chemin.',
      advice:
        'Ouvrez de nouveau le site que vous vouliez consulter, sans passer par une adresse copiée ou enregistrée.',
    },
    expired: {
      title: 'Ce lien a expiré',
      text: 'Les pages de la passerelle ne sont valables que quelques minutes.',
      advice: 'Ouvrez de nouveau le site que vous vouliez consulter pour obtenir un nouveau lien.',
    },
    contentBlocked: {
      title: 'Contenu bloqué',
      text: (operator) => html`Ce contenu est bloqué sur ce réseau\u00a0: pour toute question, contactez ${operator}.`,
    },
    acknowledgementOff: {
      title: 'Impossible de continuer ici',
      text: 'La transmission des confirmations est désactivée sur ce portail.',
      advice: 'Vous ne pouvez pas y remédier vous-même.',
    },
    acknowledgementElsewhere: {
      title: 'Pas depuis cette page',
      text: 'Seule la page de la passerelle elle-même permet de continuer.',
      advice: 'Ouvrez de nouveau le site que vous vouliez consulter et utilisez le bouton qui s’affiche.',
    },
    acknowledgementPrefetch: {
      title: 'Pas de chargement anticipé',
      text: 'Cette étape attend qu’une personne appuie sur le bouton.',
      advice: 'Ouvrez de nouveau le site que vous vouliez consulter et utilisez le bouton qui s’affiche.',
    },
    acknowledgementExpired: {
      title: 'Délai dépassé',
      text: 'La passerelle n’accepte plus cette confirmation.',
      advice: 'Ouvrez de nouveau le site pour obtenir une nouvelle page.',
    },
    acknowledgementRefused: {
      title: 'Confirmation non acceptée',
      text: 'La passerelle n’a pas accepté cette confirmation.',
      advice: 'Ouvrez de nouveau le site pour obtenir une nouvelle page.',
    },
    codeMalformed: {
      title: 'Le code n’a pas pu être utilisé',
      text: 'Le code manque, n’était pas attendu ou est illisible.',
      advice: 'Ouvrez de nouveau le site et saisissez le code sur la page qui le demande.',
    },
    codeRejected: {
      title: 'Le code est incorrect',
      text: 'La passerelle n’a pas accepté le code.',
      advice: 'Ouvrez de nouveau le site et saisissez le code encore une fois.',
    },
    lockedOut: {
      title: 'Trop de tentatives',
      text: 'Il y a eu trop de tentatives en peu de temps.',
      advice: (time) => `Vous pourrez réessayer dans ${time}.`,
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
      text: 'Sans cet enregistrement, il n’est pas possible de continuer\u00a0: rien n’a été transmis à la passerelle.',
      advice: 'Réessayez dans un instant.',
    },
    overloaded: {
      title: 'Trop de demandes en ce moment',
      text: 'Les demandes reçues dépassent ce qui peut être traité.',
      advice: 'Réessayez dans quelques secondes.',
    },
    superseded: {
      title: 'Vous avez confirmé plusieurs fois',
      text: 'Seul votre dernier clic est transmis à la passerelle. Un clic plus récent, peut-être dans une autre fenêtre, a remplacé celui-ci.',
      advice: 'Revenez à l’autre fenêtre ou réessayez.',
    },
    internal: {
      title: 'Un problème est survenu ici',
      text: 'L’erreur vient du portail, pas de vous.',
      advice: 'Réessayez dans un instant.',
    },
  },
  certificate: {
    title: 'Installer le certificat',
    heading: 'Installer le certificat de ce réseau',
    why: 'La passerelle de ce réseau contrôle aussi les connexions chiffrées. Sans son certificat, les appareils affichent des avertissements à la place des sites.',
    care: 'Ne l’installez que sur les appareils que vous utilisez sur ce réseau. Il permet à la passerelle de lire ce qu’ils envoient et reçoivent par des connexions chiffrées.',
    signInSheet:
      'Cette fenêtre a été ouverte pour la connexion au réseau ou par une application, et ne permet pas d’installer un certificat. Copiez cette adresse et ouvrez-la dans votre navigateur (Safari sur un iPhone ou un iPad).',
    plainHttp:
      'Cette page vous est parvenue par une connexion non chiffrée\u00a0: personne ne peut s’en porter garant. Avant toute installation, comparez l’empreinte SHA-256 avec celle qui vous a été communiquée autrement, par exemple sur papier ou par téléphone.',
    toFingerprints: 'Afficher les empreintes',
    expiring: (date, days) =>
      `Ce certificat expire le ${date} (encore ${days}). Il faudra ensuite en installer un nouveau.`,
    copy: 'Copier',
    copied: 'Copié',
    trust: {
      heading: 'Est-il déjà installé\u202f?',
      testing: 'Test en cours…',
      trusted:
        'Reconnu\u00a0: ce navigateur accepte le certificat. À moins que vous n’ayez ignoré un avertissement sur ce portail, il n’y a plus rien à faire ici.',
      untrusted:
        'Pas encore reconnu\u00a0: ce navigateur n’accepte pas le certificat. Suivez les étapes ci-dessous, redémarrez au besoin le navigateur et testez de nouveau.',
      overHttps:
        'Une connexion chiffrée ne permet pas de le vérifier, car vous avez peut-être ignoré un avertissement. S’il n’y en a pas eu, le certificat est reconnu. Pour vous en assurer, ouvrez cette adresse\u00a0:',
      otherAddress: 'Cette adresse ne permet pas de le vérifier. Pour tester, ouvrez celle-ci\u00a0:',
      noAnswer: 'Vérification impossible\u00a0: le portail n’a pas répondu à temps. Testez de nouveau dans un instant.',
      test: 'Tester de nouveau',
    },
    install: {
      heading: 'L’installer',
      thisDevice: 'cet appareil',
      download: 'Télécharger le certificat',
      checked: (month) => `Étapes vérifiées en ${month}.`,
      ios: [
        'Téléchargez le fichier dans Safari et autorisez le téléchargement.',
        'Dans les 8 minutes, ouvrez Réglages › Profil téléchargé, ou Réglages › Général › VPN et gestion de l’appareil. Un seul profil à la fois peut être en attente.',
        'Touchez «\u00a0Installer\u00a0», saisissez le code, puis touchez de nouveau «\u00a0Installer\u00a0».',
        (name) =>
          html`L’étape que l’on oublie facilement\u00a0: ouvrez Réglages › Général › Informations › Réglages des certificats et activez ${name}.`,
      ],
      android: [
        'Téléchargez le fichier. Il ne sert à rien de l’ouvrir\u00a0: il faut le choisir dans les paramètres.',
        'Cherchez «\u00a0certificat CA\u00a0» dans les paramètres. Sans résultat\u00a0: Sécurité › Plus › Chiffrement et identifiants › Installer un certificat › Certificat CA. Ce n’est ni celui pour le VPN et les applications, ni celui pour le Wi-Fi.',
        'Touchez «\u00a0Installer quand même\u00a0», déverrouillez l’écran et choisissez le fichier. Si l’écran n’est pas protégé, l’appareil demande d’abord de le verrouiller.',
      ],
      androidNote:
        'À partir d’Android 15, un avertissement signale après chaque redémarrage que le réseau peut être surveillé. Les navigateurs acceptent le certificat, la plupart des autres applications l’ignorent.',
      macos: [
        'Téléchargez le fichier et ouvrez-le. Dans Trousseaux d’accès, ajoutez-le au trousseau «\u00a0Système\u00a0».',
        (name) =>
          html`Recherchez-y ${name}, choisissez «\u00a0Lire les informations\u00a0», ouvrez «\u00a0Se fier\u00a0» et choisissez «\u00a0Toujours approuver\u00a0» pour ce certificat.`,
        'Fermez la fenêtre et saisissez votre mot de passe.',
      ],
      macosCommand: 'Ou dans Terminal, qui demande le mot de passe d’un administrateur\u00a0:',
      windows: [
        'Téléchargez le fichier, ouvrez-le et choisissez «\u00a0Installer un certificat\u00a0».',
        'Choisissez «\u00a0Ordinateur local\u00a0» ou, sans droits d’administrateur, «\u00a0Utilisateur actuel\u00a0».',
        'Choisissez «\u00a0Placer tous les certificats dans le magasin suivant\u00a0» › Parcourir › Autorités de certification racines de confiance. La sélection automatique le place au mauvais endroit.',
        'Choisissez «\u00a0Suivant\u00a0», puis «\u00a0Terminer\u00a0», et confirmez.',
      ],
      windowsCommand: 'Ou dans PowerShell, ouvert en tant qu’administrateur\u00a0:',
      linux: [
        'Téléchargez le fichier.',
        'Ouvrez un terminal dans le dossier qui contient le fichier, et exécutez\u00a0:',
      ],
      firefox:
        'Sous Linux, Firefox a son propre magasin\u00a0: Paramètres › Vie privée et sécurité › Certificats › Afficher les certificats › Autorités › Importer. Choisissez le fichier et cochez la case pour les sites web.',
      chrome:
        'Chrome aussi, sous Linux\u00a0: Paramètres › Confidentialité et sécurité › Sécurité › Gérer les certificats › Certificats locaux › Personnalisé › Installés par vous › Importer. Cette page se trouve aussi à l’adresse\u00a0:',
    },
    details: {
      heading: 'Le certificat',
      subject: 'Sujet',
      fingerprint: (algorithm) => `Empreinte ${algorithm}`,
      validFrom: 'Valable à partir du',
      validUntil: 'Valable jusqu’au',
      daysLeft: 'Jours restants',
    },
    next: {
      heading: 'Installez aussi celui-ci',
      from: (date) =>
        `À partir du ${date}, la passerelle utilisera ce certificat à la place. Si vous l’installez dès maintenant, vous ne remarquerez rien du changement.`,
      since: (date) => `Depuis le ${date}, la passerelle utilise ce certificat. Installez-le également.`,
      sameSteps: 'Les étapes sont les mêmes. Dans les commandes, indiquez le nom de ce fichier.',
    },
    elsewhere: {
      heading: 'Continuer sur un téléphone',
      scan: 'Scannez ce code avec son appareil photo, ou saisissez l’adresse\u00a0:',
    },
  },
  privacy: {
    title: 'Politique de confidentialité',
    introduction:
      'Ce texte concerne les pages que la passerelle affiche lorsqu’elle bloque un accès, avertit ou demande un accord. Il indique quelles données elles traitent et lesquelles sont conservées.',
    purpose: {
      heading: '1. À quoi servent ces pages',
      text: 'Une passerelle contrôle les requêtes web selon des règles. Lorsqu’une règle s’applique, votre navigateur est dirigé vers ce portail, qui explique la décision et, si la règle le permet, transmet votre choix à la passerelle.',
    },
    processed: {
      heading: '2. Ce qui est traité pour afficher une page',
      text: 'L’adresse que vous avez demandée, la règle appliquée, sa catégorie et un numéro de référence parviennent à ce portail sous forme chiffrée, dans l’adresse de la page. Ces informations vous sont présentées\u202f; le point 3 indique ce qui en est conservé. La langue de la page dépend des réglages de votre navigateur. Lorsque vous continuez, l’adresse réseau de votre appareil et le code que vous avez éventuellement saisi sont transmis à la passerelle\u202f; ce portail n’enregistre jamais le code.',
    },
    recorded: {
      heading: '3. Ce qui est enregistré',
      log: 'Pour chaque requête, le journal de ce portail conserve l’heure, le type de page, la règle, le résultat et le numéro de référence, mais ni votre nom, ni votre adresse réseau, ni le code.',
      logWithDestination:
        'Pour chaque requête, le journal de ce portail conserve l’heure, le type de page, la règle, le résultat et le numéro de référence ainsi que, pour les décisions de la passerelle, l’adresse que vous avez demandée, mais ni votre nom, ni votre adresse réseau, ni le code.',
      acceptance:
        'Lorsque vous acceptez une charte, les données suivantes sont enregistrées\u00a0: le numéro de référence, la règle, la version et le texte de la charte, sa langue, son affichage préalable ou non par votre navigateur, l’heure, le nombre de demandes adressées à la passerelle et leur résultat, ainsi que la version de ce portail.',
      withoutAddress: 'L’adresse réseau de votre appareil n’est pas enregistrée avec elles.',
      withAddress: 'L’adresse réseau de votre appareil est enregistrée avec elles.',
      gateway: 'La passerelle tient son propre journal, où le numéro de référence permet de retrouver votre requête.',
    },
    device: {
      heading: '4. Ce qui est conservé sur votre appareil',
      text: 'Si vous choisissez une langue ou si une charte vous est présentée, un cookie signé mémorise la langue et la charte affichée, avec le numéro de référence correspondant. Il disparaît à la fin de la session du navigateur. Si vous choisissez le thème clair ou sombre, votre navigateur garde ce choix dans son propre espace de stockage, sans le transmettre. Il n’y a ni suivi, ni contenu provenant d’autres adresses.',
    },
    contact: {
      heading: '5. Vos droits et comment les exercer',
      text: (operator) =>
        html`Vous pouvez demander quelles données vous concernant sont enregistrées, les faire rectifier et exercer les autres droits que la loi vous reconnaît en contactant ${operator}, exploitant de cette passerelle. L’exploitant décide aussi de la durée de conservation des données.`,
    },
  },
}
