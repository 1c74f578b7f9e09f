// The certificate page: the trust test and the copy buttons.
{
  const section = document.getElementById('trust')
  const result = document.getElementById('trust-status')
  const elsewhere = document.getElementById('trust-elsewhere')
  const button = document.getElementById('trust-button')
  const { origin } = section.dataset
  // In the order in which the page lists them.
  const [headingTrusted, testing, trusted, untrusted, overHttps, otherAddress, noResponse, copy, copied, selected] =
    section.dataset.texts.split('|')
  const TIMEOUT_MS = 8000
  let busy = false

  const show = (text, state) => {
    result.textContent = text
    section.dataset.state = state
    const isElsewhere = text === overHttps || text === otherAddress
    elsewhere.hidden = !isElsewhere
    // Where it would change nothing. One that was just pressed keeps the focus.
    button.hidden = isElsewhere || (state === 'trusted' && document.activeElement !== button)
  }
  const request = (method, address, signal) => {
    return fetch(address, { method, mode: 'no-cors', cache: 'no-store', credentials: 'omit', signal })
  }

  /** An https request succeeds only if the browser trusts the certificate; the response itself is opaque. */
  const test = async () => {
    if (location.protocol === 'https:') return show(overHttps, 'unknown')
    const portal = new URL(origin)
    if (portal.protocol !== 'https:' || portal.hostname !== location.hostname) return show(otherAddress, 'unknown')
    if (busy) return
    busy = true
    show(testing, 'testing')
    const abort = new AbortController()
    const timer = setTimeout(() => abort.abort(), TIMEOUT_MS)
    try {
      await request('GET', `${origin}/healthz`, abort.signal)
      show(trusted, 'trusted')
    } catch {
      // Untrusted, or not reachable? Over plain http the portal always responds.
      const isReachable = await request('HEAD', '/ca', abort.signal).catch(() => false)
      if (isReachable) show(untrusted, 'untrusted')
      else show(noResponse, 'unknown')
    }
    clearTimeout(timer)
    busy = false
  }

  section.hidden = false
  button.addEventListener('click', test)
  test().then(() => {
    if (section.dataset.state !== 'trusted') return
    section.firstElementChild.textContent = headingTrusted
    document.getElementById('install').before(section)
  })

  /** Over plain http browsers have no clipboard API, but `execCommand` still copies the selection. */
  const copyText = async (source) => {
    try {
      await navigator.clipboard.writeText(source.textContent)
      return true
    } catch {
      getSelection().selectAllChildren(source)
      return document.execCommand('copy')
    }
  }
  for (const source of document.querySelectorAll('.copyable code')) {
    const button = document.createElement('button')
    const status = document.createElement('span')
    button.textContent = copy
    status.setAttribute('role', 'status')
    source.after(button, status)
    let timer
    button.onclick = async () => {
      // Emptied first, and for a moment: a live region announces the same text again only after a change.
      status.textContent = ''
      clearTimeout(timer)
      const isCopied = await copyText(source)
      timer = setTimeout(() => {
        status.textContent = isCopied ? copied : selected
        if (!isCopied) return
        timer = setTimeout(() => {
          status.textContent = ''
        }, 5000)
      }, 100)
    }
  }

  // An iPad identifies itself as a Mac, but Macs have no touch screen.
  const [first, second] = document.getElementById('systems').children
  if (first.id === 'macos' && navigator.maxTouchPoints > 1) {
    first.before(second)
    first.open = false
    second.open = true
    second.querySelector('ol').before(document.getElementById('caution'))
  }
}
