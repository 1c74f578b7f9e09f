// The digit boxes of a PIN: they advance, go back on Backspace, and take a pasted code.
{
  const boxes = all('input')
  for (const [place, box] of boxes.entries()) {
    const before = boxes[place - 1]
    const after = boxes[place + 1]
    const fill = (text) => {
      const digits = (text.match(/\d/g) ?? []).slice(0, boxes.length - place)
      box.value = ''
      digits.forEach((digit, offset) => {
        boxes[place + offset].value = digit
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
      const next = isErasing || event.key === 'ArrowLeft' ? before : event.key === 'ArrowRight' && after
      if (!next) return
      if (isErasing) next.value = ''
      next.focus()
      // Otherwise the arrow key would clear the selection, and the next digit would not replace the current one.
      event.preventDefault()
    }
  }
}
