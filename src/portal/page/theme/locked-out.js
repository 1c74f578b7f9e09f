// The page of a lockout: when it ends, in local time, and then the way back as the primary button.
{
  const advice = at('locked-out')
  // In the order in which the page lists them.
  const [until, over, minutes] = advice.dataset.texts.split('|')
  countDown(
    advice.dataset.seconds,
    minutes,
    (clock, time) => advice.replaceChildren(clock, until.replace('#', time)),
    () => {
      advice.textContent = over
      for (const way of all('#reopen')) way.className = 'primary'
    },
  )
}
