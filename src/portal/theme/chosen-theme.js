// In the head, before the first paint: the visitor's own choice of light or dark, where there is one.
try {
  const chosen = localStorage.getItem('theme')
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
} catch {}
