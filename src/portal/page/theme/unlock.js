// The code field: one request per press of Unlock, and a message about its outcome.
{
  const section = at('unlock')
  const field = at('code')
  const button = at('enter')
  const message = at('message')
  const inputs = all('input')
  const back = at('back')
  const [heading] = all('h1')
  const [icon] = all('[rel]')
  // In the order in which the page lists them.
  const [incomplete, trouble, unlocked, checking] = section.dataset.texts.split('|')
  let timer
  /** Whether Unlock currently ignores presses. Not `disabled`, because that would lose the focus. */
  let isSubmitting

  section.hidden = false

  /** Delayed: a screen reader announces a focus change first, and would drop a message set before it. */
  const announce = (isInvalid, ...content) => {
    for (const input of inputs) input.setAttribute('aria-invalid', isInvalid)
    message.innerText = ''
    clearTimeout(timer)
    timer = setTimeout(() => message.replaceChildren(...content), 100)
  }

  const setSubmitting = (submits) => {
    isSubmitting = submits
    button.setAttribute('aria-disabled', submits)
  }

  const clear = () => {
    for (const input of inputs) input.value = ''
  }

  /** @param sign the path of a sign @returns the one until now */
  const setLocked = (isLocked, sign) => {
    field.hidden = button.hidden = isLocked
    back.hidden = !isLocked || history.length < 2
    // The tab has it in every palette, the page not.
    const shown = icon.href.split("'")[7]
    icon.href = icon.href.replace(shown, sign)
    for (const path of all('.sign path')) path.setAttribute('d', sign)
    setSubmitting(isLocked)
    return shown
  }

  const lockOut = ([seconds, title, text, clockPath, minutes, over, nothing]) => {
    const { innerText } = heading
    clear()
    message.focus()
    const sign = setLocked(true, clockPath)
    heading.innerText = title
    countDown(
      seconds,
      minutes,
      (clock, time) => {
        back.onclick = () =>
          goBack(() => {
            if (field.hidden) announce(false, clock, nothing)
          })
        announce(false, clock, text.replace('#', time))
      },
      () => {
        setLocked(false, sign)
        heading.innerText = innerText
        // Only if the visitor has not moved the focus meanwhile.
        if (message.matches(':focus')) inputs[0].focus()
        announce(false, over)
      },
    )
  }

  const succeed = () => {
    const link = at('go-on')
    // Not the text of the page, which a translation may have changed.
    link.href = link.dataset.href
    carryHash(link)
    link.hidden = false
    section.replaceChildren(message, link)
    link.focus()
    announce(false, unlocked)
    if (!('shortened' in section.dataset)) location.replace(link.href)
  }

  /** @throws when the response is not the portal's */
  const explain = async (response) => {
    if (response.type === 'opaqueredirect') return succeed()
    const { type, detail, lockout } = await response.json()
    if (lockout) return lockOut(lockout)
    const isRejected = type.endsWith('code-rejected')
    setSubmitting(false)
    if (isRejected) {
      clear()
      inputs[0].focus()
    }
    announce(isRejected, detail)
  }

  field.onkeydown = ({ keyCode, target }) => {
    // Enter; one that ends a composition has the code 229, also in Safari, where `isComposing` is then false.
    if (keyCode === 13 && inputs.includes(target)) button.click()
  }

  button.onclick = async () => {
    if (isSubmitting) return
    const empty = inputs.find(({ value }) => !value)
    if (empty) {
      empty.focus()
      return announce(true, incomplete)
    }
    setSubmitting(true)
    // Most responses are faster than that.
    const waiting = setTimeout(() => announce(false, checking), 300)
    try {
      await explain(
        await fetch(`/api/captive/ack${search}`, {
          redirect: 'manual',
          cache: 'no-store',
          headers: { 'X-Override-Code': encodeURIComponent(inputs.map(({ value }) => value).join('')) },
        }),
      )
    } catch {
      setSubmitting(false)
      announce(false, trouble)
    }
    clearTimeout(waiting)
  }
}
