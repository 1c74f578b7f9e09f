// The digit boxes of a PIN: they advance, go back on Backspace, and take a pasted code, in the digits of any script.
{
  const boxes = all('input')
  /** Unicode lists the digits of a script one after the other, beginning with zero. */
  const numberOf = (digit) => {
    let value = 0
    while (/\p{Nd}/u.test(String.fromCodePoint(digit.codePointAt() - value - 1))) value++
    return value % 10
  }
  for (const [place, box] of boxes.entries()) {
    const fill = (text) => {
      const digits = (text.match(/\p{Nd}/gu) ?? []).slice(0, boxes.length - place)
      box.value = ''
      digits.forEach((digit, offset) => {
        boxes[place + offset].value = numberOf(digit)
      })
      if (digits.length > 0) boxes[Math.min(place + digits.length, boxes.length - 1)].focus()
    }
    box.oninput = () => fill(box.value)
    box.onfocus = () => box.select()
    box.onpaste = (event) => {
      event.preventDefault()
      fill(event.clipboardData.getData('text'))
    }
    box.onkeydown = (event) => {
      const isErasing = event.key === 'Backspace' && box.value === ''
      const step = isErasing || event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0
      const next = boxes[place + step]
      if (!step || !next) return
      if (isErasing) next.value = ''
      next.focus()
      // Otherwise the arrow key would clear the selection, and the next digit would not replace the current one.
      event.preventDefault()
    }
  }
}
