// The certificate page: the trust test and the copy buttons.
{
  const section = document.getElementById('trust')
  const said = document.getElementById('trust-said')
  const elsewhere = document.getElementById('trust-elsewhere')
  const { origin } = section.dataset
  // In the order in which the page lists them.
  const [testing, trusted, untrusted, overHttps, otherAddress, noAnswer, copied, selected] =
    section.dataset.words.split('|')
  const PATIENCE = 8000
  let busy = false

  const say = (text, state) => {
    said.textContent = text
    section.dataset.state = state
    elsewhere.hidden = text !== overHttps && text !== otherAddress
  }
  const ask = (method, address, signal) => {
    return fetch(address, { method, mode: 'no-cors', cache: 'no-store', credentials: 'omit', signal })
  }

  /** An https request succeeds only if the browser trusts the certificate; the response itself is opaque. */
  const test = async () => {
    if (location.protocol === 'https:') return say(overHttps, 'unknown')
    const portal = new URL(origin)
    if (portal.protocol !== 'https:' || portal.hostname !== location.hostname) return say(otherAddress, 'unknown')
    if (busy) return
    busy = true
    say(testing, 'testing')
    const patience = new AbortController()
    const timer = setTimeout(() => patience.abort(), PATIENCE)
    try {
      await ask('GET', `${origin}/healthz`, patience.signal)
      say(trusted, 'trusted')
    } catch {
      // Untrusted, or not reachable? Over plain http the portal always responds.
      const isThere = await ask('HEAD', '/ca', patience.signal).catch(() => false)
      if (isThere) say(untrusted, 'untrusted')
      else say(noAnswer, 'unknown')
    }
    clearTimeout(timer)
    busy = false
  }

  section.hidden = false
  document.getElementById('trust-button').addEventListener('click', test)
  test()

  /** Over plain http browsers have no clipboard API, but `execCommand` still copies the selection. */
  const copy = async (source) => {
    try {
      await navigator.clipboard.writeText(source.textContent)
      return true
    } catch {
      getSelection().selectAllChildren(source)
      return document.execCommand('copy')
    }
  }
  for (const button of document.querySelectorAll('[data-copies]')) {
    button.hidden = false
    button.addEventListener('click', async () => {
      const isCopied = await copy(document.getElementById(button.dataset.copies))
      button.nextElementSibling.textContent = isCopied ? copied : selected
    })
  }

  // An iPad identifies itself as a Mac, but Macs have no touch screen.
  const [first, second] = document.getElementById('systems').children
  if (first.id === 'macos' && navigator.maxTouchPoints > 1) {
    first.before(second)
    first.open = false
    second.open = true
  }
}
