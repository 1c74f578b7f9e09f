// The code field: one request for each press of Unlock, and a plain word about its outcome.
{
  const box = document.getElementById('unlock')
  const field = document.getElementById('code')
  const button = document.getElementById('unlock-button')
  const said = document.getElementById('unlock-said')
  const inputs = Array.from(box.querySelectorAll('input'))
  const { destination, shortened } = box.dataset
  // In the order in which the page lists them.
  const [incomplete, wrong, leftOne, leftOther, lockedOut, lockOver, refused, trouble, unlocked] =
    box.dataset.words.split('|')
  const language = document.documentElement.lang
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

  for (const input of inputs) {
    input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && !event.isComposing) button.click()
    })
  }

  const attemptsLeft = (left) => {
    if (!Number.isInteger(left)) return ''
    const isOne = new Intl.PluralRules(language).select(left) === 'one'
    return ` ${(isOne ? leftOne : leftOther).replace('{n}', left)}`
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
      say(lockOver)
      inputs[0].focus()
    }
    locked = true
    setEnabled(false)
    say(lockedOut.replace('{time}', spokenTime(seconds)))
    tick()
  }

  const succeed = () => {
    if (shortened === undefined) return location.replace(destination)
    say(unlocked)
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
      say(wrong + attemptsLeft(problem.attempts_remaining))
    } else if (answer.status < 500) say(refused)
    else say(trouble)
  }

  button.addEventListener('click', async () => {
    if (busy || locked) return
    const code = inputs.map((input) => input.value).join('')
    const firstEmpty = inputs.find((input) => input.value === '')
    if (firstEmpty) {
      say(incomplete)
      return firstEmpty.focus()
    }
    busy = true
    say('')
    try {
      await explain(
        await fetch(`/api/captive/ack${location.search}`, {
          redirect: 'manual',
          cache: 'no-store',
          headers: { 'X-Override-Code': encodeURIComponent(code) },
        }),
      )
    } catch {
      say(trouble)
    }
    busy = false
    if (!locked && !field.hidden) inputs[0].focus()
  })
}
