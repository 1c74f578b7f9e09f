// Ignores pointer clicks on the control to proceed, which is the element before the notice, just after the page came to
// the front: the second click of a double click may have been meant for a window that closed over it. A click by
// keyboard or assistive technology has the detail 0. In-app browsers may never report focus, so `document.hasFocus()`
// is not used.
/** In milliseconds, as `performance.now()`. */
let heldUntil
{
  const notice = at('held')
  const proceed = notice.previousElementSibling
  const hold = () => {
    heldUntil = performance.now() + 700
    notice.textContent = ''
  }
  const check = (event) => {
    // Firefox counts a link's activation by key (input source 6) as one click.
    const isHeld = event.detail && event.mozInputSource !== 6 && performance.now() < heldUntil
    notice.textContent = isHeld ? notice.dataset.text : ''
    if (!isHeld) return
    event.preventDefault()
    // Unlock's own listener comes after this one.
    event.stopImmediatePropagation()
  }
  hold()
  window.onpageshow = window.onfocus = document.onvisibilitychange = hold
  proceed.addEventListener('click', check)
  // A middle click opens the link, too.
  proceed.onauxclick = check
}
