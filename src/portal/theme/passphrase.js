// The button that shows or hides the text of the masked field.
{
  const field = at('passphrase')
  const show = at('show')
  show.onclick = () => {
    const { other } = show.dataset
    show.dataset.other = show.textContent
    show.textContent = other
    field.type = field.type === 'text' ? 'password' : 'text'
    field.focus()
  }
}
