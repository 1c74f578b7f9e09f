// The way back to another page, past the entries of this one in the history: each change of the fragment adds one.
/** @param tell called after a second, if the page is still there */
// biome-ignore lint/correctness/noUnusedVariables: for the script that follows
const goBack = (tell) => {
  const leave = () => history.back()
  window.onpopstate = leave
  leave()
  setTimeout(() => {
    window.onpopstate = null
    tell()
  }, 1000)
}
