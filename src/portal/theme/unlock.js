// The code field: one request per press of Unlock, and a message about its outcome.
{
  const box = at('unlock')
  const field = at('code')
  const button = at('unlock-button')
  const said = at('unlock-said')
  const inputs = all('input')
  // In the order in which the page lists them.
  const [incomplete, lockOver, trouble, unlocked] = box.dataset.words.split('|')
  let saying

  field.hidden = false

  /** Delayed: a screen reader announces a focus change first, and would drop a message set before it. */
  const say = (text) => {
    said.textContent = ''
    clearTimeout(saying)
    saying = setTimeout(() => {
      said.textContent = text
    }, 100)
  }

  /** Whether Unlock currently ignores presses. Not `disabled`, because that would lose the focus. */
  let isHeld
  const setHeld = (held) => {
    isHeld = held
    button.setAttribute('aria-disabled', held)
  }

  for (const input of inputs) {
    input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && !event.isComposing) button.click()
    })
  }

  const clear = () => {
    for (const input of inputs) input.value = ''
  }

  const clockTime = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`

  const lockOut = (seconds, text) => {
    const end = Date.now() + seconds * 1000
    const clock = at('unlock-clock')
    const setDisabled = (disabled) => {
      for (const input of inputs) input.disabled = disabled
    }
    const tick = () => {
      const left = Math.ceil((end - Date.now()) / 1000)
      clock.textContent = left > 0 ? clockTime(left) : ''
      if (left > 0) return setTimeout(tick, 500)
      setHeld(false)
      setDisabled(false)
      // Only if the visitor has not moved the focus meanwhile.
      if (document.activeElement === button) inputs[0].focus()
      say(lockOver)
    }
    clear()
    button.focus()
    setDisabled(true)
    say(text)
    tick()
  }

  const succeed = () => {
    const link = at('go-on')
    field.hidden = true
    link.hidden = false
    link.focus()
    say(unlocked)
    if (box.dataset.shortened === undefined) location.replace(link.href)
  }

  /** @throws when the response is not the portal's */
  const explain = async (answer) => {
    if (answer.type === 'opaqueredirect') return succeed()
    const { type, detail } = await answer.json()
    if (answer.status === 429) return lockOut(answer.headers.get('retry-after'), detail)
    setHeld(false)
    if (type.endsWith('/override-code-rejected')) {
      clear()
      inputs[0].focus()
    }
    say(detail)
  }

  button.onclick = async () => {
    if (isHeld) return
    const empty = inputs.find((input) => !input.value)
    if (empty) {
      empty.focus()
      return say(incomplete)
    }
    setHeld(true)
    say('')
    try {
      await explain(
        await fetch(`/api/captive/ack${location.search}`, {
          redirect: 'manual',
          cache: 'no-store',
          headers: { 'X-Override-Code': encodeURIComponent(inputs.map((input) => input.value).join('')) },
        }),
      )
    } catch {
      setHeld(false)
      say(trouble)
    }
  }
}
