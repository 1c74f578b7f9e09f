// The digit boxes of a PIN: they advance, go back on Backspace, and take a pasted code, in the digits of any script. What is
// typed replaces a box's digit, wherever the caret is, so nothing is read from a box that holds two.
{
  const [row] = all('fieldset')
  const { length, digit } = row.dataset
  for (let place = 0; place < length; place++) {
    // More than six are split into two rows.
    const isHalf = length > 6 && place === Math.ceil(length / 2)
    row.innerHTML += `${isHalf ? '<i></i>' : ''}<input inputmode=numeric>`
  }
  const boxes = all('input')
  boxes[0].autocomplete = 'one-time-code'
  /** Unicode lists the digits of a script one after the other, beginning with zero. */
  const numberOf = (digit) => {
    let value = 0
    while (/\p{Nd}/u.test(String.fromCodePoint(digit.codePointAt() - value - 1))) value++
    return value % 10
  }
  boxes.forEach((box, place) => {
    box.setAttribute('aria-label', digit.replace('#', place + 1))
    const fill = (text) => {
      const digits = (text.match(/\p{Nd}/gu) ?? []).slice(0, boxes.length - place)
      const isFocused = box.matches(':focus')
      // Whatever is no digit vanishes.
      box.value = box.value.replace(/\D/g, '')
      digits.forEach((digit, offset) => {
        boxes[place + offset].value = numberOf(digit)
      })
      // Not while the visitor leaves the box, which ends a composition.
      if (digits[0] && isFocused) boxes[Math.min(place + digits.length, length - 1)].focus()
    }
    box.addEventListener('beforeinput', (event) => {
      // Keys and drop; not an input method, and not autofill.
      if (!event.data || !event.cancelable) return
      event.preventDefault()
      fill(event.data)
    })
    // An input method commits the digit to the box with the focus: during a composition the focus stays.
    box.oninput = ({ isComposing }) => {
      if (!isComposing) fill(box.value)
    }
    box.addEventListener('compositionend', ({ data }) => fill(data))
    box.onpaste = (event) => {
      event.preventDefault()
      fill(event.clipboardData.getData('text'))
    }
    box.onfocus = () => box.select()
    box.onkeydown = (event) => {
      const { key, isComposing } = event
      // Backspace and Delete.
      const isErasing = /^(Back|Del)/.test(key)
      const isBackwards = key === 'ArrowLeft' || (key === 'Backspace' && !box.value)
      const step = isBackwards ? -1 : key === 'ArrowRight' ? 1 : 0
      const next = boxes[place + step]
      if (isComposing || !next || !(step || isErasing)) return
      if (isErasing) next.value = ''
      next.focus()
      // Otherwise the arrow key would clear the selection.
      event.preventDefault()
    }
  })
}
