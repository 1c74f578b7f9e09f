// A warning's primary button: back to the page with the link, if the browser has one.
{
  const back = at('back')
  const { nothing } = back.dataset
  back.hidden = history.length < 2
  back.onclick = () => {
    // This page may have more than one entry, each with another fragment.
    window.onpopstate = () => history.back()
    history.back()
    setTimeout(() => {
      window.onpopstate = undefined
      at('status').textContent = nothing
    }, 1000)
  }
  // Otherwise a change of language would leave this page behind the next one.
  for (const link of all('header a')) {
    link.onclick = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      location.replace(link.href)
    }
  }
}
