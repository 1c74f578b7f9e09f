// The report's style: the look of the visitor pages, for a page of numbers that is also printed.
import { createHash } from 'node:crypto'
import { type Html, trusted } from '../../../html/html.ts'
import { flavourProperties } from '../../../html/palettes.ts'
import type { Palette } from '../../../settings/sections/operator.ts'

export interface Style {
  readonly css: Html
  /** For the CSP. */
  readonly source: string
}

export function styleOf(palette: Palette): Style {
  const css = `:root{${flavourProperties(palette, 'light')}}
@media screen and (prefers-color-scheme:dark){:root{${flavourProperties(palette, 'dark')}}}
${RULES}`
  return { css: trusted(css), source: `'sha256-${createHash('sha256').update(css).digest('base64')}'` }
}

const RULES = `*{box-sizing:border-box}
body{max-width:64rem;margin:0 auto;padding:0 min(1rem,3vw) 2rem;background:var(--ground);color:var(--text);font:1.0625rem/1.55 system-ui,sans-serif;overflow-wrap:anywhere;-webkit-text-size-adjust:100%}
:focus-visible{outline:3px solid var(--primary);outline-offset:2px}
header{padding:.75rem 0;font-weight:600;line-height:1.15}
header small{display:block;font-size:.875rem;font-weight:400;color:var(--quiet)}
article{background:linear-gradient(var(--primary) .25rem,var(--surface) 0);border-radius:.75rem;box-shadow:0 0 0 1px var(--line);padding:min(5vw,2.5rem)}
h1{font:650 clamp(1.625rem,1.25rem + 2vw,2.25rem)/1.12 system-ui,sans-serif;letter-spacing:-.022em;margin:0 0 .75rem;text-wrap:balance}
h2{font-size:1.25rem;font-weight:600;line-height:1.3;margin:2.5rem 0 .25rem}
h3,.pair h2{font-size:1.0625rem;font-weight:600;margin:1.75rem 0 .25rem}
p{margin:.25rem 0}
.quiet,.quiet+p,figcaption,small,dt,footer{color:var(--quiet)}
.quiet,figcaption,table,details,dt{font-size:.9375rem}
.quiet{max-width:46rem}
.alert{margin:1.25rem 0;border-inline-start:4px solid var(--caution);padding:.3rem 1rem}
.unseen,caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:0 3rem}
section{min-width:0}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:0 1.5rem;margin:1.75rem 0 0}
dl>div{border-top:1px solid var(--line);padding:.6rem 0 .9rem}
dd{margin:0;overflow-wrap:normal;font:600 min(1.625rem,6vw)/1.25 system-ui,sans-serif;font-variant-numeric:tabular-nums;letter-spacing:-.01em}
dd small{display:block;font:400 .875rem/1.35 system-ui,sans-serif;letter-spacing:0}
figure{margin:1rem 0 .5rem}
figcaption{margin-top:.4rem}
figure svg,th svg{display:block;overflow:visible}
svg text{font-size:.8125rem;fill:var(--quiet);paint-order:stroke;stroke:var(--surface);stroke-width:4px;stroke-linejoin:round}
.grid{stroke:var(--line)}
.base{stroke:var(--quiet)}
rect{fill:var(--primary)}
.block{fill:var(--stop)}
.warn{fill:url(#hatched)}
.aup{fill:url(#dotted)}
.hatch{stroke:var(--caution);stroke-width:3}
.dot{fill:var(--primary)}
.ground{fill:var(--surface)}
rect.warn{stroke:var(--caution)}
rect.aup{stroke:var(--primary)}
.week{display:grid;grid-template-columns:auto 1fr;align-items:center;column-gap:.6rem;font-size:.875rem}
.week rect{stroke:var(--line)}
.week .peak{stroke:var(--text);stroke-width:2.5}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;margin:0;padding:0}
.legend svg{display:inline-block;vertical-align:-1px}
summary{cursor:pointer;width:fit-content;min-height:2.75rem;line-height:2.75rem;color:var(--primary);font-weight:600}
.wide-table{overflow-x:auto}
.wide-table .n{width:auto}
table{width:100%;border-collapse:collapse;margin:.5rem 0}
th,td{padding:.4rem 0;border-top:1px solid var(--line);text-align:start;vertical-align:top;font-weight:400}
thead th{border:0;padding-block:0;font-size:.875rem;line-height:1.25;color:var(--quiet);vertical-align:bottom;overflow-wrap:normal}
tbody th small{display:block;font-size:.875rem;line-height:1.35}
th svg{margin-top:.3rem}
.n{width:1%;text-align:end;font-variant-numeric:tabular-nums;padding-inline-start:.9rem}
td.n{white-space:nowrap}
footer{font-size:.875rem;padding:1rem 0}
@media (max-width:40rem){.wide,.days text.wide{display:none}.n{padding-inline-start:.6rem}}
@media (forced-colors:active){:root{--stop:CanvasText;--caution:CanvasText;--primary:CanvasText;--quiet:CanvasText;--surface:Canvas}article{border:1px solid}}
@page{size:A4;margin:14mm}
@media print{
:root{--ground:#fff;--surface:#fff;--text:#000;--quiet:#333;--line:#999;--primary:#000;--stop:#000;--caution:#000}
html{font-size:9.5pt}
body{max-width:none;padding:0}
article{background:none;box-shadow:none;padding:0}
.pair{grid-template-columns:1fr 1fr}
h1,h2,h3,.quiet,thead{break-after:avoid}
tr,dl>div,figure{break-inside:avoid}
details::details-content{content-visibility:visible;block-size:auto}
th,td{padding-block:.2rem}
summary{min-height:0;line-height:1.5;color:var(--text);list-style:none}
summary::-webkit-details-marker{display:none}
}
`
