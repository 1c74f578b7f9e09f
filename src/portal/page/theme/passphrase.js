// The masked field, and the button that shows or hides its text. As `type=password`, even for a moment, Firefox would offer
// to save it whatever its attributes say, and Chromium unless they say `one-time-code`.
{
  const field = at('passphrase')
  const show = at('show')
  const isMaskedByStyle = CSS.supports('-webkit-text-security', 'disc')
  const mask = (isMasked) => {
    field.style.webkitTextSecurity = isMasked ? 'disc' : ''
    // Firefox before 111.
    if (!isMaskedByStyle) field.type = isMasked ? 'password' : 'text'
  }
  let isMasked = true
  mask(true)
  show.onclick = () => {
    const { other } = show.dataset
    show.dataset.other = show.textContent
    show.textContent = other
    isMasked = !isMasked
    mask(isMasked)
    field.focus()
  }
}
