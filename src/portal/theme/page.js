// What every page's buttons do: switch between light and dark, and copy the details.
{
  const root = document.documentElement
  const theme = document.getElementById('theme')
  const system = matchMedia('(prefers-color-scheme: dark)')
  const current = () => root.dataset.theme || (system.matches ? 'dark' : 'light')
  const name = () => theme.setAttribute('aria-label', current() === 'dark' ? theme.dataset.light : theme.dataset.dark)
  theme.hidden = false
  name()
  system.addEventListener?.('change', name)
  theme.addEventListener('click', () => {
    root.dataset.theme = current() === 'dark' ? 'light' : 'dark'
    try {
      localStorage.setItem('theme', root.dataset.theme)
    } catch {}
    name()
  })

  const copy = document.getElementById('copy')
  if (copy) {
    const site = document.querySelector('.site')
    const said = document.getElementById('copied')
    const text = document.getElementById('copy-text')
    copy.hidden = false
    copy.addEventListener('click', async () => {
      const line = (label, value) => label + copy.dataset.colon + value.textContent
      const terms = Array.from(document.querySelectorAll('dt'), (term) => {
        return line(term.textContent, term.nextElementSibling)
      })
      text.textContent = [line(copy.dataset.site, site), ...terms].join('\n')
      try {
        await navigator.clipboard.writeText(text.textContent)
        said.textContent = copy.dataset.copied
      } catch {
        text.hidden = false
        getSelection().selectAllChildren(text)
        said.textContent = copy.dataset.selected
      }
    })
  }
}
