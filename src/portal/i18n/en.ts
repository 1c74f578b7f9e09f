// The English catalogue. Its shape is the type of all catalogues.
import { type Html, html } from '../html/html.ts'

/** A name such as the operator's, already marked up. */
type Name = Html

export const en = {
  topbar: {
    language: 'Language',
    dark: 'Dark colours',
    skip: 'Skip to content',
    preview: 'Preview with sample data: nothing here is real.',
  },
  footer: {
    privacy: 'Privacy notice',
    certificate: 'Certificate',
    support: 'Contact support',
  },
  operator: {
    fallback: 'your network administrator',
  },
  details: {
    heading: 'Details',
    site: 'Requested address',
    rule: 'Rule',
    category: 'Category',
    reference: 'Reference',
    time: 'Time',
    version: 'Portal version',
    labelled: (label: string, value: string) => `${label}: ${value}`,
    copy: 'Copy details',
    copied: 'Copied',
    selected: 'The text is selected: copy it with the keyboard or the menu.',
    shortened: 'The address was shortened.',
  },
  certificateError: {
    question: 'Why did I get a certificate error?',
    answer:
      'To check encrypted connections, the gateway uses certificates of its own. A device that does not know their issuer cannot tell the gateway from an attacker, and shows an error. On any other network, take such an error seriously.',
    setUp: 'Set up this device',
  },
  block: {
    title: 'Page blocked',
    heading: 'This page is blocked',
    noReason: 'The rules of this network do not allow it.',
    next: (operator: Name) =>
      html`You cannot continue from here. If you think this is a mistake, contact ${operator} and pass on the details below.`,
  },
  warn: {
    title: 'Warning about this page',
    heading: 'Take care with this page',
    noReason: 'The rules of this network advise against opening it.',
    next: 'You can continue if you know this site and need it. The gateway records your choice.',
    proceed: 'Proceed anyway',
    terminal: (operator: Name) =>
      html`You cannot continue from here. If you need this page, contact ${operator} and pass on the details below.`,
  },
  aup: {
    title: 'Acceptable use policy',
    heading: 'Please read before you continue',
    noReason: 'The rules of this network ask for your agreement first.',
    policyHeading: 'Acceptable use policy',
    accept: 'I acknowledge and continue',
    byContinuing: 'By continuing, you accept this policy. Your acceptance is recorded.',
    byUnlocking: 'By unlocking the page, you accept this policy. Your acceptance is recorded.',
    toCode: 'Enter the code',
    terminal: (operator: Name) =>
      html`This policy cannot be accepted here. If you need this page, contact ${operator} and pass on the details below.`,
    policy: {
      introduction:
        'This network is provided for work, for study and for the purposes it was set up for. By using it, you agree to these rules.',
      rules: [
        'Use the network lawfully. Do not open, share or store anything the law forbids.',
        'Respect others. No harassment, no threats, no content that degrades people.',
        'Protect accounts and devices. Keep passwords to yourself, and do not bypass filters or security settings.',
        'Handle confidential and personal data only where you are allowed to.',
        'Share the network fairly, so that it works well for everyone.',
        'Web access is filtered, and requests may be logged to keep the network safe and to look into misuse.',
      ],
      conclusion:
        'Breaking these rules may lead to the loss of access. If something is unclear, please ask before you continue.',
    },
  },
  clickHeld: 'That click came too soon. Click again.',
  override: {
    pin: 'PIN',
    passphrase: 'Passphrase',
    explanation: 'You can open this page with a code.',
    digit: (place: number, length: number) => `Digit ${place} of ${length}`,
    show: 'Show',
    unlock: 'Unlock',
    needsScript: 'Entering the code needs JavaScript. Switch it on and reload this page.',
    incomplete: 'Please enter the whole code.',
    wrong: 'That code is not right.',
    attemptsLeft: { one: '{n} attempt left.', other: '{n} attempts left.' },
    lockOver: 'You can try again now.',
    trouble: 'No answer came from the gateway. Your code was not refused: try again in a moment.',
    unlocked: 'Unlocked.',
    goOn: 'Continue to the page',
  },
  outcome: {
    wayBack: 'Open the address again',
    ask: (operator: Name) => html`If this keeps happening, contact ${operator}.`,
    notFound: {
      title: 'Page not found',
      text: 'There is nothing at this address.',
      advice: 'Try opening the website again. If the gateway blocks it, you will see why.',
    },
    methodNotAllowed: {
      title: 'Not possible this way',
      text: 'This address can only be read.',
      advice: 'Try opening the website again.',
    },
    tooLong: {
      title: 'Address too long',
      text: 'The address of this page is longer than the gateway allows.',
      advice: 'Try opening the website again.',
    },
    malformed: {
      title: 'Address incomplete',
      text: 'The address of this page is incomplete or has been changed.',
      advice: 'Open the website itself, not a copied or saved address.',
    },
    wrongVersion: {
      title: 'Versions do not match',
      text: 'The gateway and this portal use different versions.',
      advice: 'You cannot fix this yourself.',
    },
    invalid: {
      title: 'Address not valid',
      text: 'This address does not come from the gateway, or it has been changed on the way.',
      advice: 'Open the website itself, not a copied or saved address.',
    },
    expired: {
      title: 'This link has expired',
      text: 'Links from the gateway work for a few minutes only.',
      advice: 'Open the website again to get a new link.',
    },
    contentBlocked: {
      title: 'Content blocked',
      text: (operator: Name) =>
        html`This content is blocked on this network; if you have questions, contact ${operator}.`,
    },
    acknowledgementOff: {
      title: 'Continuing is switched off here',
      text: 'This portal does not pass on confirmations.',
      advice: 'You cannot fix this yourself.',
    },
    acknowledgementElsewhere: {
      title: 'Not from this page',
      text: 'You can only continue from the gateway’s own page.',
      advice: 'Open the website again and use the button on the page that appears.',
    },
    acknowledgementPrefetch: {
      title: 'Not loaded in advance',
      text: 'This step waits for a person to press the button.',
      advice: 'Open the website again and use the button on the page that appears.',
    },
    acknowledgementExpired: {
      title: 'Too much time has passed',
      text: 'The gateway no longer accepts this confirmation.',
      advice: 'Open the website again to get a new page.',
    },
    acknowledgementRefused: {
      title: 'Not accepted',
      text: 'The gateway did not accept this confirmation.',
      advice: 'Open the website again to get a new page.',
    },
    codeMalformed: {
      title: 'The code could not be used',
      text: 'The code is missing, was not expected, or cannot be read.',
      advice: 'Open the website again and enter the code on the page that asks for it.',
    },
    codeRejected: {
      title: 'That code is not right',
      text: 'The gateway did not accept the code.',
      advice: 'Open the website again and enter the code once more.',
    },
    lockedOut: {
      title: 'Too many attempts',
      text: 'There were too many attempts in a short time.',
      advice: (time: string) => `You can try again in ${time}.`,
    },
    engineUnreachable: {
      title: 'The gateway did not answer properly',
      text: 'Your choice could not be passed on. This was not your fault.',
      advice: 'Try again in a moment.',
    },
    engineTooSlow: {
      title: 'The gateway took too long',
      text: 'Your choice was passed on, but no answer came in time.',
      advice: 'Try again in a moment.',
    },
    recordUnavailable: {
      title: 'Your acceptance could not be recorded',
      text: 'Without a record nobody can continue, so nothing was passed on to the gateway.',
      advice: 'Try again in a moment.',
    },
    overloaded: {
      title: 'Too busy at the moment',
      text: 'More requests are coming in than can be answered.',
      advice: 'Try again in a few seconds.',
    },
    superseded: {
      title: 'You continued more than once',
      text: 'Only your latest click is passed on to the gateway. Another one, perhaps in a different window, replaced this one.',
      advice: 'Go back to that window, or try again.',
    },
    internal: {
      title: 'Something went wrong here',
      text: 'The fault lies with the portal, not with you.',
      advice: 'Try again in a moment.',
    },
  },
  certificate: {
    title: 'Install the certificate',
    heading: 'Install the certificate of this network',
    why: 'The gateway of this network also checks encrypted connections. Devices that lack its certificate show warnings in place of websites.',
    care: 'Install it only on devices that you use in this network. With it, the gateway can read what they send and receive over encrypted connections.',
    signInSheet:
      'This window was opened for signing in, or by an app, and cannot install certificates. Copy this address and open it in your browser, on an iPhone or iPad in Safari.',
    plainHttp:
      'This page came over an unencrypted connection, so nobody can vouch for it. Before you install anything, compare the SHA-256 fingerprint with the one that you were given another way, such as on paper or by phone.',
    toFingerprints: 'Show the fingerprints',
    expiring: (date: string, days: string) =>
      `This certificate expires on ${date} (${days} left). After that, a new one has to be installed.`,
    copy: 'Copy',
    copied: 'Copied',
    trust: {
      heading: 'Is it installed already?',
      testing: 'Testing…',
      trusted:
        'Trusted: this browser accepts the certificate. Unless you once dismissed a warning about this portal, nothing is left to do here.',
      untrusted:
        'Not trusted yet: this browser does not accept the certificate. Follow the steps below, restart the browser if need be, and test again.',
      overHttps:
        'Cannot tell over an encrypted connection, because you may have dismissed a warning. If there was none, the certificate is trusted. To be sure, open this address:',
      otherAddress: 'Cannot tell at this address. Open this one to test:',
      noAnswer: 'Cannot tell: the portal did not answer in time. Test again in a moment.',
      test: 'Test again',
    },
    install: {
      heading: 'Install it',
      thisDevice: 'this device',
      download: 'Download certificate',
      checked: (month: string) => `Steps checked in ${month}.`,
      ios: [
        'Download the file in Safari, and allow it.',
        'Within 8 minutes, open Settings › Profile Downloaded, or Settings › General › VPN & Device Management. Only one profile can wait at a time.',
        'Tap “Install”, enter the passcode, and tap “Install” again.',
        (name: Name) =>
          html`The step that is easily missed: open Settings › General › About › Certificate Trust Settings and switch on ${name}.`,
      ],
      android: [
        'Download the file. There is no use in opening it: it has to be chosen in the settings.',
        'Search Settings for “CA certificate”. If nothing is found: Security › More › Encryption & credentials › Install a certificate › CA certificate. It is neither the one for VPN and apps nor the one for Wi-Fi.',
        'Tap “Install anyway”, unlock the screen, and choose the file. If the device has no screen lock, it asks you to set one.',
      ],
      androidNote:
        'Android 15 and later warn after each restart that the network may be monitored. Browsers accept the certificate, most other apps ignore it.',
      macos: [
        'Download the file and open it. In Keychain Access, add it to the keychain “System”.',
        (name: Name) =>
          html`Find ${name} there, choose “Get Info”, open “Trust”, and choose “Always Trust” for this certificate.`,
        'Close the window and enter your password.',
      ],
      macosCommand: 'Or in Terminal, which asks for the password of an administrator:',
      windows: [
        'Download the file, open it, and choose “Install Certificate”.',
        'Choose “Local Machine” or, without administrator rights, “Current User”.',
        'Choose “Place all certificates in the following store” › Browse › Trusted Root Certification Authorities. The automatic selection puts it in the wrong place.',
        'Choose “Next” and “Finish”, and confirm.',
      ],
      windowsCommand: 'Or in PowerShell, opened as administrator:',
      linux: ['Download the file.', 'Open a terminal in the folder that holds the file, and run:'],
      firefox:
        'Firefox on Linux has a store of its own: Settings › Privacy & Security › Certificates › View Certificates › Authorities › Import. Choose the file and tick the box for websites.',
      chrome:
        'So has Chrome on Linux: Settings › Privacy and security › Security › Manage certificates › Local certificates › Custom › Installed by you › Import. It is also at this address:',
    },
    details: {
      heading: 'The certificate',
      subject: 'Subject',
      fingerprint: (algorithm: string) => `${algorithm} fingerprint`,
      validFrom: 'Valid from',
      validUntil: 'Valid until',
      daysLeft: 'Days left',
    },
    next: {
      heading: 'Install this one too',
      from: (date: string) =>
        `From ${date}, the gateway uses this certificate instead. If you install it now, you will notice nothing of the change.`,
      since: (date: string) => `Since ${date}, the gateway has been using this certificate. Install it as well.`,
      sameSteps: 'The steps are the same. In a command, put in the name of this file.',
    },
    elsewhere: {
      heading: 'Go on with a phone',
      scan: 'Scan this code with its camera, or type in the address:',
    },
  },
  privacy: {
    title: 'Privacy notice',
    introduction:
      'This notice is about the pages that the gateway shows when it blocks a request, warns you or asks for your agreement. It says what they process and what is kept.',
    purpose: {
      heading: '1. What these pages are for',
      text: 'A gateway checks web requests against rules. When a rule applies, your browser is sent to this portal, which explains the decision and, where the rule allows it, passes your choice back to the gateway.',
    },
    processed: {
      heading: '2. What is processed to show a page',
      text: 'The address you asked for, the rule that applied, its category and a reference number reach this portal encrypted, inside the address of the page. They are shown to you; section 3 says what is kept of them. Your browser’s language setting decides the language of the page. When you continue, the network address of your device and any code that you enter are passed to the gateway; this portal never stores the code.',
    },
    recorded: {
      heading: '3. What is recorded',
      log: 'For each request the log of this portal keeps the time, the kind of page, the rule, the result and the reference number, but not your name, your network address or the code.',
      logWithDestination:
        'For each request the log of this portal keeps the time, the kind of page, the rule, the result and the reference number, and for decisions of the gateway the address you asked for; but not your name, your network address or the code.',
      acceptance:
        'When you accept a policy, a record is kept: the reference number, the rule, the version and the text of the policy, its language, whether your browser had shown it, the time, how often and with what result the gateway was asked, and the version of this portal.',
      withoutAddress: 'The network address of your device is not part of the record.',
      withAddress: 'The network address of your device is part of the record.',
      gateway: 'The gateway keeps a log of its own, in which the reference number leads to your request.',
    },
    device: {
      heading: '4. What is kept on your device',
      text: 'If you choose a language or are shown a policy, a signed cookie remembers the language, and which policy was shown under which reference number. It ends with the browser session. If you choose light or dark colours, your browser keeps that choice in its own storage; it is not sent anywhere. There is no tracking and no content from other addresses.',
    },
    contact: {
      heading: '5. Your rights and whom to ask',
      text: (operator: Name) =>
        html`You can ask what is recorded about you, have it corrected, and use the other rights that the law gives you, by contacting ${operator}, the operator of this gateway. The operator also decides how long records are kept.`,
    },
  },
}

export type Messages = typeof en
