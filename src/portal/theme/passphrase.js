// The button that shows what was typed into a masked field, and hides it again.
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
