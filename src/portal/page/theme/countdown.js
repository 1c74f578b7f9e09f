// The time until a lockout ends: counting down, and as a point in local time.
/**
 * @param minutes a number of minutes, with a mark for it: without the unit, `14:03` could be a time of day
 * @param show called once, with an element that counts down, and the time; screen readers ignore the element, because they
 *   would read it each second
 */
// biome-ignore lint/correctness/noUnusedVariables: for the script that follows
const countDown = (seconds, minutes, show, done) => {
  const end = Date.now() + seconds * 1000
  const clock = document.createElement('b')
  const inTwoDigits = (number) => `${number % 60}`.padStart(2, 0)
  const tick = () => {
    const left = Math.ceil((end - Date.now()) / 1000)
    if (left <= 0) return done()
    const whole = Math.floor(left / 60)
    // From an hour on, there are three numbers, and no unit.
    clock.innerText = minutes.replace(
      whole < 60 ? '#' : /.+/,
      `${whole < 60 ? whole : `${Math.floor(whole / 60)}:${inTwoDigits(whole)}`}:${inTwoDigits(left)}`,
    )
    setTimeout(tick, 500)
  }
  clock.className = 'clock'
  clock.setAttribute('aria-hidden', true)
  // Never earlier than the end, which is within a minute.
  show(clock, localTime(end + 59_999, { timeStyle: 'short' }))
  tick()
}
