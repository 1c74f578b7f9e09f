// What every page's buttons do: switch between light and dark, close the language menu, copy the details.
/** For the scripts that follow, too. */
const at = (id) => document.getElementById(id)
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
    dark.media = chosen === 'dark' ? 'screen' : 'not all'
    tell()
    try {
      localStorage.setItem('theme', chosen)
    } catch {}
  }

  // Left open, it would cover what the keyboard goes to next.
  const menu = document.querySelector('header details')
  menu?.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget && !menu.contains(relatedTarget)) menu.open = false
  })
  menu?.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return
    menu.open = false
    menu.firstChild.focus()
  })

  const copy = at('copy')
  if (copy) {
    const said = at('copied')
    const text = at('copy-text')
    const line = (label, value) => label + copy.dataset.colon + value.textContent
    copy.hidden = false
    copy.onclick = async () => {
      const terms = Array.from(document.querySelectorAll('dt'), (term) => {
        return line(term.textContent, term.nextElementSibling)
      })
      text.textContent = [line(copy.dataset.site, document.querySelector('.site')), ...terms].join('\n')
      // Emptied first: the same word once more is news only to a region that has changed.
      said.textContent = ''
      try {
        await navigator.clipboard.writeText(text.textContent)
        said.textContent = copy.dataset.copied
      } catch {
        text.hidden = false
        getSelection().selectAllChildren(text)
        said.textContent = copy.dataset.selected
      }
    }
  }
}
