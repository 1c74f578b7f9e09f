// The time until a lockout ends: as a point in local time, and counting down.
/**
 * @param show called once, with the time and an element that counts down; screen readers ignore that, because they would
 *   read it each second
 */
// biome-ignore lint/correctness/noUnusedVariables: for the script that follows
const countDown = (seconds, show, done) => {
  const end = Date.now() + seconds * 1000
  const clock = document.createElement('span')
  const tick = () => {
    const left = Math.ceil((end - Date.now()) / 1000)
    if (left <= 0) return done()
    clock.textContent = ` (${Math.floor(left / 60)}:${String(left % 60).padStart(2, 0)})`
    setTimeout(tick, 500)
  }
  clock.setAttribute('aria-hidden', true)
  // Never earlier than the end, which is within a minute.
  show(localTime(end + 59_999, { timeStyle: 'short' }), clock)
  tick()
}
