// In the head, before the first paint: the visitor's own choice of light or dark, where there is one.
try {
  const chosen = localStorage.getItem('theme')
  if (chosen) document.getElementById('dark').media = chosen === 'dark' ? 'screen' : 'not all'
} catch {}
