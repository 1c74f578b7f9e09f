// How to install the certificate on each system: the file format, the steps, and the command if there is one. Each list
// has the month when it was last checked; check the steps again before you change it.

import { type Html, html } from '../../html/html.ts'
import type { Visit } from '../page/frame.ts'
import type { Messages } from '../page/i18n/en.ts'
import { formatMonth } from '../page/i18n/format.ts'

export type System = 'ios' | 'android' | 'macos' | 'windows' | 'debian' | 'rhel'

interface CertificateFile {
  readonly href: string
  readonly name: string
}

/** The certificate, as the steps need it. */
export interface InstallProps {
  /** The name under which systems list it. */
  readonly name: string
  readonly files: {
    readonly crt: CertificateFile
    readonly cer: CertificateFile
    readonly mobileconfig: CertificateFile
  }
}

type Install = Messages['certificate']['install']

interface Instructions {
  /** A proper name, the same in every language. */
  readonly name: string
  readonly versions?: string
  readonly format: keyof InstallProps['files']
  /** Shown before the first step. */
  readonly beforehand?: (install: Install) => string
  readonly steps: (install: Install) => readonly (string | ((name: Html) => Html))[]
  readonly command?: (file: string) => string
  /** Introduces the command, unless the last step does. */
  readonly beforeCommand?: (install: Install) => string
  readonly notes?: (install: Install) => readonly Html[]
  /** Listed next to this system, because browsers do not tell them apart reliably. */
  readonly easilyConfusedWith?: System
  /** Year and month. */
  readonly checked: string
}

/**
 * Firefox itself reads no system store on Linux. Fedora and RHEL build it with their NSS, whose list of roots is
 * p11-kit's, which is the system's; Debian, Snap and Flathub ship NSS and its list with it.
 */
const linuxBrowsers =
  (firefoxHere: 'firefoxDebian' | 'firefoxFedora') =>
  ({ [firefoxHere]: firefox, firefoxImport, chrome }: Install) => [
    html`${firefox} ${firefoxImport}`,
    html`${chrome} <bdi dir="ltr" translate="no">chrome://certificate-manager/localcerts/usercerts</bdi>`,
  ]

const firefoxElsewhere = ({ firefoxElsewhere }: Install) => [html`${firefoxElsewhere}`]

/** The order of the page when the visitor's system is unknown. */
const INSTRUCTIONS: Readonly<Record<System, Instructions>> = {
  ios: {
    name: 'iOS, iPadOS',
    versions: '13–26',
    format: 'mobileconfig',
    steps: ({ ios }) => ios,
    checked: '2026-11',
  },
  android: {
    name: 'Android',
    versions: '11–16',
    format: 'crt',
    beforehand: ({ androidNote }) => androidNote,
    steps: ({ android }) => android,
    checked: '2026-11',
  },
  windows: {
    name: 'Windows',
    versions: '10, 11',
    format: 'cer',
    steps: ({ windows }) => windows,
    beforeCommand: ({ windowsCommand }) => windowsCommand,
    command: (file) => `certutil -addstore root "$HOME\\Downloads\\${file}"`,
    notes: firefoxElsewhere,
    checked: '2026-11',
  },
  macos: {
    name: 'macOS',
    versions: '13+',
    format: 'crt',
    steps: ({ macos }) => macos,
    // An iPad identifies itself as a Mac.
    easilyConfusedWith: 'ios',
    beforeCommand: ({ macosCommand }) => macosCommand,
    command: (file) =>
      `sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain ~/Downloads/${file}`,
    notes: firefoxElsewhere,
    checked: '2026-11',
  },
  debian: {
    name: 'Linux: Debian, Ubuntu',
    easilyConfusedWith: 'rhel',
    format: 'crt',
    steps: ({ linux }) => linux,
    command: (file) => `sudo install -m 644 ${file} /usr/local/share/ca-certificates/ && sudo update-ca-certificates`,
    notes: linuxBrowsers('firefoxDebian'),
    checked: '2026-11',
  },
  rhel: {
    name: 'Linux: RHEL, Fedora',
    easilyConfusedWith: 'debian',
    format: 'crt',
    steps: ({ linux }) => linux,
    command: (file) => `sudo cp ${file} /etc/pki/ca-trust/source/anchors/ && sudo update-ca-trust`,
    notes: linuxBrowsers('firefoxFedora'),
    checked: '2026-11',
  },
}

export function systemName(system: System): string {
  return INSTRUCTIONS[system].name
}

const SYSTEMS = Object.keys(INSTRUCTIONS) as System[]

/**
 * All systems: the visitor's first and open, the others collapsed (`<details>`, no script needed).
 * @param caution shown after the visitor's download
 */
export function installSteps(visit: Visit, props: InstallProps, own: System | undefined, caution: Html): Html {
  const easilyConfusedWith = own && INSTRUCTIONS[own].easilyConfusedWith
  const first = [own, easilyConfusedWith].filter((system) => system !== undefined)
  const order = [...first, ...SYSTEMS.filter((system) => !first.includes(system))]
  const list = order.map((system) => instructions(visit, props, system, system === own ? caution : undefined))
  return html`<div id="systems">${list}</div>`
}

/** @param caution only for the visitor's own system */
function instructions({ t, locale }: Visit, { name, files }: InstallProps, system: System, caution?: Html): Html {
  const { install } = t.certificate
  const {
    name: systemName,
    versions,
    format,
    beforehand,
    steps,
    command,
    beforeCommand,
    notes,
    checked,
  } = INSTRUCTIONS[system]
  const file = files[format]
  const listed = html`<bdi translate="no">${name}</bdi>`
  const isOwn = caution !== undefined
  return html`<details id="${system}"${isOwn && html` open`}><summary><bdi>${systemName}</bdi>${versions !== undefined && html` <small><bdi>${versions}</bdi></small>`}${isOwn && html` <small class="own">${install.thisDevice}</small>`}</summary>
<p><a class="primary" href="${file.href}">${install.download}</a> <small><bdi translate="no">${file.name}</bdi></small></p>
${caution}
${beforehand !== undefined && html`<p>${beforehand(install)}</p>`}
<ol>${steps(install).map((step) => html`<li>${typeof step === 'string' ? step : step(listed)}</li>`)}</ol>
${beforeCommand !== undefined && html`<p>${beforeCommand(install)}</p>`}
${command !== undefined && copyable(`command-${system}`, command(file.name), unbroken(command(file.name)))}
${notes?.(install).map((note) => html`<p>${note}</p>`)}
<p><small>${install.checked(formatMonth(checked, locale))}</small></p>
</details>
`
}

/** A command that breaks between words and after a slash, but at no hyphen, which would seem to divide a word. */
function unbroken(command: string): Html {
  const parts = command.split(/(?<= )|(?<=[\\/])(?! )/)
  return html`${parts.map((part) => html`<span>${part.trimEnd()}</span>${part.endsWith(' ') && ' '}`)}`
}

/** Each file once, with the systems that use it. */
export function fileList({ files }: InstallProps): Html {
  const formats = [...new Set(SYSTEMS.map((system) => INSTRUCTIONS[system].format))]
  return html`<ul>${formats.map((format) => {
    const names = SYSTEMS.flatMap((system) => (INSTRUCTIONS[system].format === format ? INSTRUCTIONS[system].name : []))
    return html`<li><a href="${files[format].href}"><bdi translate="no">${files[format].name}</bdi></a> <small><bdi>${names.join('; ')}</bdi></small></li>`
  })}</ul>`
}

/**
 * Text that the page's script gives a copy button. No browser translates it.
 * @param text what is copied, and shown unless `shown` is given
 */
export function copyable(id: string, text: string, shown?: Html): Html {
  return html`<p class="copyable"><code id="${id}"><bdi dir="ltr" translate="no">${shown ?? text}</bdi></code></p>`
}
