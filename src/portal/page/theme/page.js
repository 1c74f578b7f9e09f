// On every page: switches between light and dark, completes and closes the language menu, takes the address's fragment along,
// shows the details as people read them, and copies them as the help desk needs them.
/** Also for the scripts that follow. */
const all = (selector) => [...document.querySelectorAll(selector)]
/** In the page's language, the way of the visitor's region if the browser has one for it; with Latin digits, as everything else. */
const localTime = (time, options) => {
  const { lang } = document.documentElement
  const text = new Date(time).toLocaleString(navigator.languages.find((tag) => tag.startsWith(lang)) || lang, {
    numberingSystem: 'latn',
    ...options,
  })
  // No lone `PM` on the next line.
  return text.replace(/ (?=\S+$)/, '\u00a0')
}
/** The site's fragment: redirects bring it here, but no server sees it. */
const { hash } = location
/** Takes it along. Sets only this property: a fragment can change no other part of an address. */
const carryHash = (link) => {
  if (hash) link.hash ||= hash
}
{
  const theme = at('theme')
  const dark = at('dark')
  const isDark = () => matchMedia(dark.media).matches
  const updatePressed = () => theme.setAttribute('aria-pressed', isDark())
  theme.hidden = false
  updatePressed()
  matchMedia(dark.media).onchange = updatePressed
  theme.onclick = () => {
    const chosen = isDark() ? 'light' : 'dark'
    showFlavour(chosen)
    updatePressed()
    try {
      localStorage.theme = chosen
    } catch {}
  }

  const [menu] = all('header details')
  if (menu) {
    // Left open, it would cover the element that gets the focus or a press next.
    for (const type of ['focusin', 'pointerdown']) {
      document.addEventListener(type, ({ target }) => {
        menu.open &&= menu.contains(target)
      })
    }
    // The addresses that the page leaves to the script: of a page with a code, and of a verdict that is not shown.
    menu.hidden = false
    const { pathname, search } = location
    if (/^\?p=/.test(search)) {
      for (const link of all('header a:not([href^="/"])')) {
        link.href = `/locale?set=${link.lang}&page=${pathname.slice(1)}&${search.slice(1)}`
      }
    }
    menu.onkeydown = ({ key }) => {
      if (key !== 'Escape') return
      menu.open = false
      menu.firstChild.focus()
    }
  }

  for (const link of all('header a, [href^="/api/"], #reopen')) carryHash(link)
  // Within the page, without a change of the fragment or an entry in the history.
  for (const link of all('[href^="#"]')) {
    link.onclick = (event) => {
      event.preventDefault()
      const [target] = all(link.hash)
      target.tabIndex = -1
      target.focus()
      target.scrollIntoView()
    }
  }

  const reference = at('ref')
  if (reference) {
    // In groups of four, easy to read out. Nothing is between them, so that a copy has no spaces. It has only letters,
    // digits, `-` and `_`.
    reference.innerHTML = reference.textContent.replace(/.{1,4}/g, '<span>$&</span>')
  }

  const copy = at('copy')
  if (copy) {
    const status = at('copied')
    const text = at('copy-text')
    // In the order in which the page lists them.
    const [requestedAddress, colon, version, copied, selected] = copy.dataset.texts.split('|')
    const line = (label, value) => label + colon + value.innerText.replace(/\n/g, ', ')
    const [time] = all('time')
    copy.hidden = false
    // On the page neither the seconds nor the zone of the operator.
    time.append(` (${time.dateTime})`)
    text.textContent = [
      line(requestedAddress, all('.url')[0]),
      ...all('dt').map((term) => line(term.textContent, term.nextElementSibling)),
      version,
    ].join('\n')
    // Only on the page: the help desk gets the operator's time, and UTC to the second.
    time.textContent = localTime(time.dateTime, { dateStyle: 'long', timeStyle: 'short' })
    copy.onclick = async () => {
      // Emptied first: a live region announces the same text again only after a change.
      status.textContent = ''
      try {
        await navigator.clipboard.writeText(text.textContent)
        status.textContent = copied
        setTimeout(() => {
          status.textContent = ''
        }, 5000)
      } catch {
        text.hidden = false
        getSelection().selectAllChildren(text)
        status.textContent = selected
      }
    }
  }
}
