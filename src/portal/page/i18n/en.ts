// The English catalogue. Its shape is the type of all catalogues.
import { type Html, html } from '../../../html/html.ts'
import type { PluralForms } from './format.ts'

/** A name such as the operator's, already marked up. */
type Name = Html

export const en = {
  topbar: {
    language: 'Language',
    dark: 'Dark mode',
    skip: 'Skip to content',
    preview: 'Preview with sample data: nothing here is real.',
  },
  footer: {
    privacy: 'Privacy notice',
    certificate: 'Certificate',
    certificateError: 'Why did I see a certificate error?',
    support: 'Contact support',
  },
  operator: {
    fallback: 'your network administrator',
  },
  details: {
    heading: 'Details',
    requestedAddress: 'Requested address',
    rule: 'Rule',
    category: 'Category',
    reference: 'Reference',
    time: 'Time',
    support: 'Help',
    version: 'Portal version',
    labelled: (label: string, value: string) => `${label}: ${value}`,
    copy: 'Copy details',
    copied: 'Copied',
    selected: 'Text selected. Copy it with the keyboard or the menu.',
    shortened: 'The address was shortened.',
  },
  block: {
    title: 'Page blocked',
    heading: 'This page is blocked',
    noReason: 'This network’s rules don’t allow it.',
    next: (operator: Name) => html`A mistake? Contact ${operator} with the details below.`,
  },
  warn: {
    title: 'Warning',
    heading: 'Take care with this site',
    headingCode: 'This page needs a code',
    headingTerminal: 'You can’t open this page here',
    noReason: 'This network’s rules advise against this page.',
    next: 'Continue only if you know this site and need it. Your choice is recorded.',
    nextFor: (time: Html) =>
      html`Continue only if you know this site and need it. Your choice is recorded and lasts ${time}.`,
    proceed: 'Proceed anyway',
    terminal: (operator: Name) => html`Need this page? Contact ${operator} with the details below.`,
  },
  aup: {
    title: 'Acceptable use policy',
    heading: 'Please read before you continue',
    noReason: 'This network asks you to accept its policy first.',
    policyHeading: 'Acceptable use policy',
    accept: 'I acknowledge and continue',
    byContinuing: 'By continuing, you accept this policy. Your acceptance is recorded.',
    byUnlocking: 'By unlocking the page, you accept this policy. Your acceptance is recorded.',
    toCode: 'Enter code',
    terminal: (operator: Name) =>
      html`You can’t accept this policy here. Need this page? Contact ${operator} with the details below.`,
    policy: {
      introduction:
        'This network is provided for work, study and other authorised purposes. By using it, you agree to these rules.',
      rules: [
        'Use the network lawfully. Don’t access, share or store anything illegal.',
        'Respect others: no harassment, threats or degrading content.',
        'Protect accounts and devices. Keep passwords to yourself, and don’t bypass filters or security settings.',
        'Handle confidential and personal data only if you are authorised to.',
        'Share the network fairly, so that it works well for everyone.',
        'Web access is filtered, and requests may be logged to keep the network safe and investigate misuse.',
      ],
      conclusion: 'If you break these rules, you may lose access. If anything is unclear, ask before you continue.',
    },
  },
  opensAgain: (day: string, time: string) => `This opens again ${day} at ${time}.`,
  goBack: 'Go back',
  nothingToGoBackTo: 'If nothing happens, you can close this page.',
  report: 'Report a mistake',
  askForAccess: 'Ask for access',
  acknowledge: {
    destination: (host: Name) => html`You will go to ${host}.`,
    session: (time: Name) => html`You won’t be asked again for the next ${time}.`,
  },
  clickTooSoon: 'That click came too soon. Click again.',
  override: {
    pin: 'PIN',
    passphrase: 'Passphrase',
    explanation: {
      // WCAG 3.2.2: said before the boxes advance.
      pin: 'Enter the code. The cursor moves on by itself.',
      passphrase: 'Enter the code to open this page.',
    },
    digit: (place: string, length: number) => `Digit ${place} of ${length}`,
    show: 'Show',
    hide: 'Hide',
    unlock: 'Unlock',
    needsScript: 'You need JavaScript to enter the code. Turn it on, then reload this page.',
    checking: 'Checking…',
    incomplete: 'Enter the complete code.',
    wrong: 'That code is incorrect.',
    attemptsLeft: { one: '{n} attempt left.', other: '{n} attempts left.' } as PluralForms,
    lockOver: 'You can try again now.',
    trouble: 'The gateway didn’t respond. Your code may be right: try again.',
    unlocked: 'Unlocked. Opening the page…',
    unlockedShortened: 'Unlocked.',
    continueToPage: 'Continue to the page',
  },
  outcome: {
    reopen: 'Open the page again',
    contact: (operator: Name) => html`If this keeps happening, contact ${operator}.`,
    tell: (operator: Name) => html`Please tell ${operator}.`,
    notFound: {
      title: 'Page not found',
      text: 'There is nothing at this address.',
      advice: 'Open the website you wanted. If it’s blocked, you’ll see why.',
    },
    methodNotAllowed: {
      title: 'This request isn’t supported',
      text: 'This address can only be opened, not sent anything.',
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
      advice: 'Go to the website directly instead of using a copied or saved link.',
    },
    wrongVersion: {
      title: 'The gateway and this portal don’t match',
      text: 'The gateway and this portal use different versions.',
    },
    invalid: {
      title: 'This link isn’t valid',
      text: 'This link didn’t come from the gateway, or it was changed along the way.',
      advice: 'Go to the website directly instead of using a copied or saved link.',
    },
    expired: {
      title: 'This link has expired',
      text: 'Links from the gateway work for only a few minutes.',
      advice: 'Open the website again to get a new link.',
    },
    contentBlocked: {
      title: 'Content blocked',
      text: (operator: Name) => html`This content is blocked on this network. Questions? Contact ${operator}.`,
    },
    acknowledgementOff: {
      title: 'You can’t continue from here',
      text: 'This portal isn’t set up to pass on your choice.',
    },
    crossSite: {
      title: 'Continue from the gateway’s page',
      text: 'You can only continue from the gateway’s own page.',
      advice: 'Open the website again and use the button on the page that appears.',
    },
    acknowledgementPrefetch: {
      title: 'Press the button yourself',
      text: 'Your browser tried to load this step in advance. It only works when you press the button.',
      advice: 'Open the website again and use the button on the page that appears.',
    },
    acknowledgementExpired: {
      title: 'This page has timed out',
      text: 'The gateway no longer accepts your choice from this page.',
      advice: 'Open the website again to get a new page.',
    },
    acknowledgementRefused: {
      title: 'Your choice wasn’t accepted',
      text: 'The page may no longer be valid.',
      advice: 'Open the website again to get a new page.',
    },
    codeMalformed: {
      title: 'The code couldn’t be used',
      text: 'The code is missing, wasn’t needed or couldn’t be read.',
      advice: 'Open the website again and enter the code on the page that asks for it.',
    },
    codeRejected: {
      title: 'That code is incorrect',
      text: 'The gateway didn’t accept the code.',
      advice: 'Open the website again and enter the code once more.',
    },
    lockedOut: {
      title: 'Too many attempts',
      text: 'Too many wrong codes were entered.',
      advice: (time: string) => `Try again in ${time}.`,
      at: (time: string) => `You can try again at ${time}.`,
    },
    engineUnreachable: {
      title: 'The gateway isn’t responding properly',
      text: 'Your choice couldn’t be passed on. You did nothing wrong.',
      advice: 'Try again in a moment.',
    },
    engineTooSlow: {
      title: 'The gateway took too long',
      text: 'Your choice was sent, but no reply came in time.',
      advice: 'Try again in a moment.',
    },
    recordUnavailable: {
      title: 'Your acceptance couldn’t be recorded',
      text: 'You can continue only once your acceptance has been recorded, so nothing was sent to the gateway.',
      advice: 'Try again in a moment.',
    },
    overloaded: {
      title: 'Too many requests right now',
      text: 'The portal is receiving more requests than it can handle.',
      advice: 'Try again in a few seconds.',
    },
    superseded: {
      title: 'You continued more than once',
      text: 'Only your latest click is passed on to the gateway. Another one, perhaps in a different window, replaced this one.',
      advice: 'If the page hasn’t opened there, try again.',
    },
    internal: {
      title: 'Something went wrong',
      text: 'It’s a problem with the portal, not with you.',
      advice: 'Try again in a moment.',
    },
  },
  certificate: {
    title: 'Install the certificate',
    heading: 'Install this network’s certificate',
    why: 'This network checks encrypted connections with its own certificate. Until your device trusts it, your browser can’t tell the gateway from an attacker and shows a warning. On any other network, take such a warning seriously.',
    care: 'Install it only on devices you use on this network. It lets the gateway read what they send and receive over encrypted connections.',
    signInSheet:
      'This sign-in or in-app window can’t install certificates. Copy this address and open it in your browser (Safari on iPhone and iPad).',
    plainHttp:
      'This page wasn’t encrypted on its way to you, so it could have been tampered with. Before you install anything, compare the SHA-256 fingerprint with the one you were given on paper or by phone.',
    toFingerprints: 'Show the fingerprints',
    expiring: (date: string, days: string) =>
      `This certificate expires on ${date} (${days} left). After that, you’ll need to install a new one.`,
    copy: 'Copy',
    copied: 'Copied',
    trust: {
      heading: 'Check that it worked',
      headingTrusted: 'Is it already installed?',
      testing: 'Testing…',
      trusted:
        'Trusted. This browser accepts the certificate: you’re done, unless you once clicked past a warning about this portal.',
      untrusted: 'Not trusted yet. Follow the steps above, restart the browser if necessary, then test again.',
      overHttps: 'If this page opened without a warning, the certificate is trusted. To be sure, open this address:',
      otherAddress: 'The test doesn’t work at this address. Open this one:',
      noAnswer: 'Couldn’t test: the portal didn’t respond in time. Try again in a moment.',
      test: 'Test again',
    },
    install: {
      heading: 'Install it',
      thisDevice: 'this device',
      download: 'Download certificate',
      downloadBlocked: 'If the browser blocks the download, choose “Keep” or “Download insecure file”.',
      checked: (month: string) => `Steps checked in ${month}.`,
      ios: [
        'In Safari, download the file and tap “Allow”.',
        'Within 8 minutes, open Settings › Profile Downloaded (or General › VPN & Device Management).',
        'Tap “Install”, enter the passcode, and tap “Install” again.',
        (name: Name) =>
          html`Don’t miss this step: open Settings › General › About › Certificate Trust Settings, switch on ${name} and tap “Continue”.`,
      ],
      android: [
        'Download the file. Don’t open it: you’ll choose it in Settings.',
        'Search Settings for “CA certificate”. If nothing comes up: Security & privacy › More security & privacy › Encryption & credentials › Install a certificate (on Samsung: Security and privacy › More security settings › Install from phone storage). Choose “CA certificate”, not the VPN or Wi-Fi one.',
        'Tap “Install anyway”, unlock the screen, and choose the file. If the device has no screen lock, it asks you to set one.',
      ],
      androidNote:
        'After every restart, Android 15 and later show a notice that your network may be monitored. That is expected. Browsers accept the certificate; most other apps ignore it.',
      macos: [
        'Download the file and open it. In Keychain Access, add it to the “System” keychain.',
        (name: Name) =>
          html`Double-click ${name}, open “Trust” and set “When using this certificate” to “Always Trust”.`,
        'Close the window and enter your password.',
      ],
      macosCommand: 'Or in Terminal (asks for an administrator password):',
      windows: [
        'Download the file, open it, and choose “Install Certificate”.',
        'Choose “Local Machine” or, without administrator rights, “Current User”.',
        'Choose “Place all certificates in the following store” › Browse › Trusted Root Certification Authorities. The automatic option puts it in the wrong place.',
        'Choose “Next” and “Finish”, and confirm.',
      ],
      windowsCommand: 'Or in PowerShell, run as administrator:',
      linux: ['Download the file.', 'Open a terminal in the folder with the file and run:'],
      firefoxElsewhere: 'Firefox 120 and later use it after a restart.',
      firefoxDebian: 'Firefox on Debian and Ubuntu has its own certificate store:',
      firefoxFedora:
        'Firefox from Fedora’s or RHEL’s own packages uses it after a restart. From Flathub or Mozilla, it has its own certificate store:',
      firefoxImport:
        'Settings › Privacy and security › Certificates › Manage certificates › Authorities › Import. Choose the file and tick “Trust this CA to identify websites”.',
      chrome:
        'So does Chrome on Linux: Settings › Privacy and security › Security › Manage certificates › Local certificates › Custom › Installed by you › Import. Or go straight to:',
    },
    proxy: {
      heading: 'Set the proxy',
      text: 'On this network, devices also need a proxy. Where the system asks for an automatic configuration, enter its address; otherwise the server and the port.',
      server: 'Server',
      port: 'Port',
      automatic: 'Automatic (PAC)',
      where: {
        ios: 'Settings › Wi-Fi › ⓘ next to this network › Configure Proxy › Automatic',
        android:
          'Settings › Network & internet › Internet › the gear next to this network › the pencil › Advanced options › Proxy › Proxy Auto-Config',
        windows: 'Settings › Network & internet › Proxy › Use setup script › Set up',
        macos: 'System Settings › Wi-Fi › Details next to this network › Proxies › Automatic proxy configuration',
        debian: 'Settings › Network › Proxy › Automatic (GNOME)',
        rhel: 'Settings › Network › Proxy › Automatic (GNOME)',
      },
      sheet: 'A sheet to print and hand out',
    },
    sheet: {
      heading: 'Set up your device',
      introduction: 'For devices on this network: three steps, once for each device.',
      introductionOf: (operator: Name) =>
        html`For devices on the network of ${operator}: three steps, once for each device.`,
      open: 'Connect to the network. Scan this code with the camera, or type the address into the browser.',
      install: 'Download the certificate and install it as the page says. It must have this name and this fingerprint.',
      setProxy: 'Set the proxy as the page says.',
    },
    details: {
      heading: 'The certificate',
      name: 'Name',
      subject: 'Subject',
      fingerprint: (algorithm: string) => `${algorithm} fingerprint`,
      validFrom: 'Valid from',
      validUntil: 'Valid until',
      daysLeft: 'Days left',
    },
    next: {
      heading: 'Install this one too',
      from: (date: string) =>
        `From ${date}, the gateway will use this certificate instead. Install it now and you won’t notice the change.`,
      since: (date: string) => `Since ${date}, the gateway has been using this certificate. Install it as well.`,
      sameSteps: 'Follow the same steps. In commands, use this file’s name.',
    },
    elsewhere: {
      heading: 'Set up another device',
      scan: 'Scan this code with its camera or type the address:',
    },
  },
  privacy: {
    title: 'Privacy notice',
    introduction:
      'This notice covers the pages the gateway shows when it blocks a request, warns you or asks for your agreement. It explains what data they process and what is stored.',
    purpose: {
      heading: '1. What these pages are for',
      text: 'A gateway checks web requests against rules. When a rule applies, your browser is sent to this portal, which explains the decision and, where the rule allows it, passes your choice back to the gateway.',
    },
    processed: {
      heading: '2. What is processed to show a page',
      text: 'The address you requested, the rule, its category and a reference number are sent to this portal encrypted, as part of the page’s address. They are shown to you; section 3 explains what is stored. Your browser’s language setting decides the language of the page. When you continue, your device’s IP address and any code that you enter are passed to the gateway; this portal never stores the code.',
    },
    recorded: {
      heading: '3. What is stored',
      log: 'For each request, this portal logs the time, the type of page, the rule, the result and the reference number, but not your name, your IP address or the code.',
      logWithDestination:
        'For each request, this portal logs the time, the type of page, the rule, the result and the reference number, and for the gateway’s decisions the address you requested, but not your name, your IP address or the code.',
      acceptance:
        'When you accept a policy, a record is kept of: the reference number, the rule, the version, text and language of the policy, whether your browser displayed it, the time, the number and results of requests to the gateway, and this portal’s version.',
      withoutAddress: 'Your device’s IP address is not part of the record.',
      withAddress: 'Your device’s IP address is part of the record.',
      gateway: {
        unknown:
          'The gateway keeps its own log. It may contain, for requests that it stops and for those that it allows: the time, your device’s IP address, your user name, the site, the rule and the reference number.',
        stopped:
          'For each request that it stops, and when you continue, the gateway logs the time, your device’s IP address, your user name if it has one, the rule and the reference number, but not the site.',
        stoppedWithSite:
          'For each request that it stops, the gateway logs the time, your device’s IP address, your user name if it has one, the site, the rule and the reference number; when you continue, the same without the site.',
        every:
          'For each request, even if it allows it, and when you continue, the gateway logs the time, your device’s IP address, your user name if it has one, the rule and the reference number, but not the site.',
        everyWithSite:
          'For each request, even if it allows it, the gateway logs the time, your device’s IP address, your user name if it has one, the site, the rule and the reference number; when you continue, the same without the site.',
      },
      journal: {
        withSite: (days: string) =>
          `The gateway also keeps a journal for ${days}. For each request that it stops, and when you continue or enter a code, it has the time, your device’s IP address, your user name and group if it has them, the site, the rule, its category and list, and the reference number.`,
        withoutSite: (days: string) =>
          `The gateway also keeps a journal for ${days}. For each request that it stops, and when you continue or enter a code, it has the time, your device’s IP address, your user name and group if it has them, the rule, its category and list, and the reference number, but not the site.`,
        named: (days: string) => `Your IP address and user name are in it for ${days}; then pseudonyms replace them.`,
        pseudonyms: 'In place of your IP address and user name, it has pseudonyms.',
        unknown: 'The gateway may also keep the same information in a journal for some time.',
      },
      memory:
        'In its memory, until it restarts, the gateway has the full web addresses of the last requests that it stopped.',
      session:
        'While you may continue, or a site has been opened for you, the gateway remembers that with your IP address and user name; it also counts wrong codes.',
      elsewhere: {
        unknown: 'Other parts of this network, such as its proxy, may keep logs of their own.',
        on: 'The proxy of this network logs every request: the time, your device’s IP address, your user name if it has one, the site and the result, but not the rest of the address. Other parts of this network may keep logs of their own.',
        off: 'The proxy of this network keeps no log of what you open. Other parts of this network may keep logs of their own.',
      },
    },
    device: {
      heading: '4. What is kept on your device',
      text: 'If you choose a language or are shown a policy, a signed cookie remembers the language, and which policy was shown under which reference number. The cookie is deleted when you close the browser. If you choose light or dark mode, your browser keeps that choice in its own storage; it is not sent anywhere. There is no tracking and no third-party content.',
    },
    contact: {
      heading: '5. Your rights and contact',
      text: (operator: Name) =>
        html`You can ask what is recorded about you, have it corrected or exercise your other legal rights by contacting ${operator}, the operator of this gateway. The operator also decides how long records are kept.`,
    },
  },
}

export type Messages = typeof en
