// The button that shows or hides the text of the masked field.
{
  const field = at('passphrase')
  const show = at('show')
  show.onclick = () => {
    const isMasked = field.type === 'password'
    field.type = isMasked ? 'text' : 'password'
    show.setAttribute('aria-pressed', isMasked)
    field.focus()
  }
}
