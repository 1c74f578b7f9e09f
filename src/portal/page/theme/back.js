// A warning's primary button: back to the page with the link, if the browser has one.
{
  const back = at('back')
  back.hidden = history.length < 2
  back.onclick = () =>
    goBack(() => {
      at('status').textContent = back.dataset.nothing
    })
}
