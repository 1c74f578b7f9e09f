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
    const details = document.getElementById('details')
    const said = document.getElementById('copied')
    copy.hidden = false
    copy.addEventListener('click', async () => {
      const lines = Array.from(details.querySelectorAll('dt'), (term) => {
        return `${term.textContent}${copy.dataset.colon}${term.nextElementSibling.textContent}`
      })
      try {
        await navigator.clipboard.writeText(lines.join('\n'))
        said.textContent = copy.dataset.copied
      } catch {
        getSelection().selectAllChildren(details)
        said.textContent = copy.dataset.selected
      }
    })
  }
}
