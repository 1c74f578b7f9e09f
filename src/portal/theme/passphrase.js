// The button that shows what was typed into a masked field, and hides it again.
{
  const field = document.getElementById('passphrase')
  const show = document.getElementById('show')
  show.addEventListener('click', () => {
    const isMasked = field.type === 'password'
    field.type = isMasked ? 'text' : 'password'
    show.setAttribute('aria-pressed', String(isMasked))
    field.focus()
  })
}
