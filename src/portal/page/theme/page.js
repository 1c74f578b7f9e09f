// On every page: switches between light and dark, completes and closes the language menu, takes the address's fragment along,
// shows the details as people read them, and copies them as the help desk needs them.
/** Also for the scripts that follow. */
const all = (selector) => [...document.querySelectorAll(selector)]
const { lang } = document.documentElement
/** In the page's language, the way of the visitor's region if the browser has one for it; with Latin digits, as everything else. */
const localTime = (time, options) =>
  new Date(time)
    .toLocaleString(navigator.languages.find((tag) => tag.startsWith(lang)) || lang, {
      numberingSystem: 'latn',
      ...options,
    })
    // No lone `PM` on the next line.
    .replace(/ (?=\S+$)/, '\u00a0')
/** Among them the site's fragment: redirects bring it here, but no server sees it. */
const { hash, pathname, search } = location
/** Takes it along. Sets only this property: a fragment can change no other part of an address. */
const carryHash = (link) => {
  if (hash) link.hash ||= hash
}
{
  const theme = at('theme')
  const dark = at('dark')
  const query = () => matchMedia(dark.media)
  const isDark = () => query().matches
  const updatePressed = () => theme.setAttribute('aria-pressed', isDark())
  theme.hidden = false
  updatePressed()
  query().onchange = updatePressed
  theme.onclick = () => {
    const chosen = isDark() ? 'light' : 'dark'
    setTheme(chosen)
    updatePressed()
    try {
      localStorage.theme = chosen
    } catch {}
  }

  const [menu] = all('header details')
  if (menu) {
    // Left open, it would cover the element that gets the focus or a press next.
    const close = ({ target }) => {
      menu.open &&= menu.contains(target)
    }
    document.onpointerdown = close
    document.addEventListener('focusin', close)
    menu.hidden = false
    for (const link of all('header a')) {
      // Only some verdict pages leave the addresses to the script.
      link.href ||= `/locale?set=${link.lang}&page=${pathname.slice(1)}&${search.slice(1)}`
      carryHash(link)
      // Replaced: "Go back" would otherwise lead to this page in another language.
      link.onclick = (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        location.replace(link.href)
      }
    }
    menu.onkeydown = ({ key }) => {
      if (key !== 'Escape') return
      menu.open = false
      menu.firstChild.focus()
    }
  }

  for (const link of all('[href^="/api/"], #reopen')) carryHash(link)
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
    reference.innerHTML = reference.innerText.replace(/.{1,4}/g, '<span>$&</span>')
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
    const details = [
      line(requestedAddress, all('.url')[0]),
      ...all('dt').map((term) => line(term.innerText, term.nextElementSibling)),
      version,
    ].join('\n')
    text.textContent = details
    // Only on the page: the help desk gets the operator's time, and UTC to the second.
    time.innerText = localTime(time.dateTime, { dateStyle: 'long', timeStyle: 'short' })
    copy.onclick = async () => {
      // Emptied first: a live region announces the same text again only after a change.
      status.innerText = ''
      try {
        await navigator.clipboard.writeText(details)
        status.innerText = copied
        setTimeout(() => {
          status.innerText = ''
        }, 5000)
      } catch {
        text.hidden = false
        getSelection().selectAllChildren(text)
        status.innerText = selected
      }
    }
  }
}
