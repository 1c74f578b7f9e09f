// The buttons of every page: switch between light and dark, close the language menu, copy the details.
/** Also for the scripts that follow. */
const all = (selector) => [...document.querySelectorAll(selector)]
{
  const theme = at('theme')
  const dark = at('dark')
  const isDark = () => matchMedia(dark.media).matches
  const tell = () => theme.setAttribute('aria-pressed', isDark())
  theme.hidden = false
  tell()
  matchMedia(dark.media).onchange = tell
  theme.onclick = () => {
    const chosen = isDark() ? 'light' : 'dark'
    showFlavour(chosen)
    tell()
    try {
      localStorage.theme = chosen
    } catch {}
  }

  // Left open, it would cover the element that gets the focus next.
  const [menu] = all('header details')
  if (menu) {
    menu.addEventListener('focusout', ({ relatedTarget }) => {
      if (relatedTarget && !menu.contains(relatedTarget)) menu.open = false
    })
    menu.onkeydown = ({ key }) => {
      if (key !== 'Escape') return
      menu.open = false
      menu.firstChild.focus()
    }
  }

  const copy = at('copy')
  if (copy) {
    const said = at('copied')
    const text = at('copy-text')
    // In the order in which the page lists them.
    const [site, colon, copied, selected] = copy.dataset.words.split('|')
    const line = (label, value) => label + colon + value.textContent
    copy.hidden = false
    copy.onclick = async () => {
      const terms = all('dt').map((term) => line(term.textContent, term.nextElementSibling))
      text.textContent = [line(site, all('.site')[0]), ...terms].join('\n')
      // Emptied first: a live region announces the same text again only after a change.
      said.textContent = ''
      try {
        await navigator.clipboard.writeText(text.textContent)
        said.textContent = copied
      } catch {
        text.hidden = false
        getSelection().selectAllChildren(text)
        said.textContent = selected
      }
    }
  }
}
