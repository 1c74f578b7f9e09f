// The masked field, and the button that shows or hides its text. As `type=password`, even for a moment, Firefox would offer
// to save it whatever its attributes say, and Chromium unless they say `one-time-code`.
{
  const field = at('passphrase')
  const show = at('show')
  const isMaskedByStyle = 'webkitTextSecurity' in field.style
  let isMasked
  const toggle = () => {
    isMasked = !isMasked
    field.style.webkitTextSecurity = isMasked ? 'disc' : ''
    // Firefox before 111.
    if (!isMaskedByStyle) field.type = isMasked ? 'password' : 'text'
  }
  toggle()
  show.onclick = () => {
    ;[show.innerText, show.dataset.other] = [show.dataset.other, show.innerText]
    toggle()
    field.focus()
  }
}
