// In the head, before the first paint: the visitor's own choice of light or dark, where there is one.
/** These two for the scripts that follow, too. */
const at = (id) => document.getElementById(id)
const showFlavour = (flavour) => {
  at('dark').media = flavour === 'dark' ? 'screen' : 'not all'
}
try {
  const chosen = localStorage.theme
  if (chosen) showFlavour(chosen)
} catch {}
