// The code field: digits that advance, one request for each press of Unlock, and a plain word about its outcome.
{
  const box = document.getElementById('unlock')
  const field = document.getElementById('code')
  const button = document.getElementById('unlock-button')
  const said = document.getElementById('unlock-said')
  const inputs = Array.from(box.querySelectorAll('input'))
  const show = document.getElementById('show')
  const words = box.dataset
  const language = document.documentElement.lang
  const isPin = words.type === 'pin'
  let busy = false
  let locked = false

  field.hidden = false
  const say = (text) => {
    said.textContent = text
  }
  const clear = () => {
    for (const input of inputs) input.value = ''
  }
  const setEnabled = (enabled) => {
    for (const control of [...inputs, button]) control.disabled = !enabled
  }

  if (isPin) {
    for (const [place, input] of inputs.entries()) {
      const fill = (text) => {
        const digits = Array.from(text.replace(/[^0-9]/g, '')).slice(0, inputs.length - place)
        input.value = ''
        digits.forEach((digit, offset) => {
          inputs[place + offset].value = digit
        })
        if (digits.length > 0) inputs[Math.min(place + digits.length, inputs.length - 1)].focus()
      }
      input.addEventListener('input', () => fill(input.value))
      input.addEventListener('focus', () => input.select())
      input.addEventListener('paste', (event) => {
        event.preventDefault()
        fill(event.clipboardData.getData('text'))
      })
      input.addEventListener('keydown', (event) => {
        const before = inputs[place - 1]
        const after = inputs[place + 1]
        if (event.key === 'Backspace' && input.value === '' && before) {
          before.value = ''
          before.focus()
          event.preventDefault()
        } else if (event.key === 'ArrowLeft' && before) before.focus()
        else if (event.key === 'ArrowRight' && after) after.focus()
      })
    }
  } else {
    show.addEventListener('click', () => {
      const hidden = inputs[0].type === 'password'
      inputs[0].type = hidden ? 'text' : 'password'
      show.setAttribute('aria-pressed', String(hidden))
      inputs[0].focus()
    })
  }

  for (const input of inputs) {
    input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && !event.isComposing) button.click()
    })
  }

  const attemptsLeft = (left) => {
    if (!Number.isInteger(left)) return ''
    const one = new Intl.PluralRules(language).select(left) === 'one'
    return ` ${(one ? words.leftOne : words.leftOther).replace('{n}', left)}`
  }

  const clockTime = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`

  const spokenTime = (seconds) => {
    const [unit, amount] = seconds < 60 ? ['second', seconds] : ['minute', Math.ceil(seconds / 60)]
    return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(amount)
  }

  const lockOut = (seconds) => {
    const end = Date.now() + seconds * 1000
    const clock = document.getElementById('unlock-clock')
    const tick = () => {
      const left = Math.ceil((end - Date.now()) / 1000)
      clock.textContent = left > 0 ? clockTime(left) : ''
      if (left > 0) return setTimeout(tick, 500)
      locked = false
      setEnabled(true)
      say(words.lockOver)
      inputs[0].focus()
    }
    locked = true
    setEnabled(false)
    say(words.lockedOut.replace('{time}', spokenTime(seconds)))
    tick()
  }

  const succeed = () => {
    if (words.shortened === undefined) return location.replace(words.destination)
    say(words.unlocked)
    const link = document.getElementById('go-on')
    field.hidden = true
    link.hidden = false
    link.focus()
  }

  const explain = async (answer) => {
    if (answer.type === 'opaqueredirect') return succeed()
    clear()
    if (answer.status === 429) return lockOut(Number(answer.headers.get('retry-after')) || 60)
    const problem = await answer.json().catch(() => ({}))
    if (answer.status === 403 && String(problem.type).endsWith('/override-code-rejected')) {
      say(words.wrong + attemptsLeft(problem.attempts_remaining))
    } else if (answer.status === 410) say(words.expired)
    else if (answer.status < 500) say(words.refused)
    else say(words.trouble)
  }

  button.addEventListener('click', async () => {
    if (busy || locked) return
    const code = inputs.map((input) => input.value).join('')
    const firstEmpty = inputs.find((input) => input.value === '')
    if (firstEmpty) {
      say(words.incomplete)
      return firstEmpty.focus()
    }
    busy = true
    say('')
    try {
      await explain(
        await fetch(words.ack, {
          redirect: 'manual',
          cache: 'no-store',
          headers: { 'X-Override-Code': encodeURIComponent(code) },
        }),
      )
    } catch {
      say(words.trouble)
    }
    busy = false
    if (!locked && !field.hidden) inputs[0].focus()
  })
}
