// Ignores pointer clicks on the control to proceed just after the page came to the front: the second click of a double click
// may have been meant for a window that closed over it. A click by keyboard or assistive technology has the detail 0. In-app
// browsers may never report focus, so `document.hasFocus()` is not used.
{
  const notice = at('status')
  const [proceed] = all('[rel=nofollow]')
  const guard = () => {
    // In milliseconds, as `performance.now()`.
    notice.dataset.guardedUntil = performance.now() + 700
    notice.textContent = ''
  }
  const check = (event) => {
    // Firefox counts a link's activation by key (input source 6) as one click.
    const isGuarded = event.detail && event.mozInputSource !== 6 && performance.now() < notice.dataset.guardedUntil
    notice.textContent = isGuarded ? notice.dataset.text : ''
    if (isGuarded) event.preventDefault()
  }
  guard()
  window.onpageshow = window.onfocus = document.onvisibilitychange = guard
  // A middle click opens the link, too.
  proceed.onclick = proceed.onauxclick = check
}
