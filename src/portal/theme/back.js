// A warning's primary button: back to the page with the link, if the browser has one.
{
  const back = at('back')
  back.hidden = history.length < 2
  back.onclick = () => history.back()
  // Otherwise a change of language would leave this page behind the next one.
  for (const link of all('header li a')) {
    link.onclick = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      location.replace(link.href)
    }
  }
}
