// In the head, before the first paint: applies the visitor's choice of light or dark.
/** Also for the scripts that follow. */
const at = (id) => document.getElementById(id)
const setTheme = (flavour) => {
  at('dark').media = flavour === 'dark' ? 'screen' : 'not all'
}
try {
  const chosen = localStorage.theme
  if (chosen) setTheme(chosen)
} catch {}
