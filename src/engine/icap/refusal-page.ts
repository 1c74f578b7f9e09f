// The pages of refused requests, by reason: the visitor gets an HTTP error instead of a decision. They have the frame of the
// proxy's own pages without its header, because the engine knows no product, and nothing of the request.
import { PAGE_FRAME } from './page-frame.ts'

/** Our own texts, without a character that has a meaning in HTML. */
const TEXTS = {
  'ambiguous path': {
    en: {
      heading: 'The gateway can’t check this address',
      text: 'Sites can read this address in more than one way, so the rules of this network can’t be applied to it. Open the page from a link on the site. If you think this is a mistake, tell the people who run this network.',
      back: 'Go back',
    },
    fr: {
      heading: 'La passerelle ne peut pas vérifier cette adresse',
      text: 'Les sites peuvent lire cette adresse de plusieurs façons, c’est pourquoi les règles de ce réseau ne peuvent pas lui être appliquées. Ouvrez la page depuis un lien du site. Si vous pensez qu’il s’agit d’une erreur, prévenez le responsable de ce réseau.',
      back: 'Retour',
    },
    de: {
      heading: 'Das Gateway kann diese Adresse nicht prüfen',
      text: 'Websites können diese Adresse auf mehrere Arten lesen, deshalb lassen sich die Regeln dieses Netzwerks nicht darauf anwenden. Öffnen Sie die Seite über einen Link auf der Website. Wenn Sie das für einen Fehler halten, wenden Sie sich an den Betreiber dieses Netzwerks.',
      back: 'Zurück',
    },
    it: {
      heading: 'Il gateway non può controllare questo indirizzo',
      text: 'I siti possono leggere questo indirizzo in più modi, perciò non è possibile applicarvi le regole di questa rete. Aprire la pagina da un collegamento del sito. Se si pensa a un errore, avvisare chi gestisce questa rete.',
      back: 'Indietro',
    },
  },
} satisfies Record<
  string,
  Record<'en' | 'fr' | 'de' | 'it', { readonly heading: string; readonly text: string; readonly back: string }>
>

export type RefusalPage = keyof typeof TEXTS

const PAGES = new Map(Object.entries(TEXTS).map(([name, texts]) => [name, render(name, texts)]))

/** A page, each byte of its UTF-8 as a character. */
export function refusalPage(name: RefusalPage): string {
  return PAGES.get(name) as string
}

function render(name: string, texts: (typeof TEXTS)[RefusalPage]): string {
  const sections = Object.entries(texts).map(
    ([language, { heading, text, back }]) =>
      `<section lang="${language}">\n<h1>${heading}</h1>\n<p>${text}</p>\n<button type="button" hidden>${back}</button>\n</section>`,
  )
  const page = PAGE_FRAME.replace(/\$\{PALETTE\}/, 'indigo')
    .replace(/<header>.*<\/header>\n/, '')
    .replace(/\$\{NAME\}/, 'refused')
    .replace(/\$\{SECTIONS\}/, sections.join('\n'))
    .replace(/\$\{DETAILS\}/, `Code: ${name}`)
  return Buffer.from(page).toString('latin1')
}
