// The time until a lockout ends: counting down, and as a point in local time.
/**
 * @param show called once, with an element that counts down, and the time; screen readers ignore the element, because they
 *   would read it each second
 */
// biome-ignore lint/correctness/noUnusedVariables: for the script that follows
const countDown = (seconds, show, done) => {
  const end = Date.now() + seconds * 1000
  const clock = document.createElement('b')
  const tick = () => {
    const left = Math.ceil((end - Date.now()) / 1000)
    if (left <= 0) return done()
    clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, 0)} min`
    setTimeout(tick, 500)
  }
  clock.className = 'clock'
  clock.setAttribute('aria-hidden', true)
  // Never earlier than the end, which is within a minute.
  show(clock, localTime(end + 59_999, { timeStyle: 'short' }))
  tick()
}
