// The one page that may stand in somebody else's frame: one sentence, no link, no script, nothing of the payload.
import { type Html, html } from '../html/html.ts'
import { plainOperatorName, type Visit } from './frame.ts'

export function frameNotice(visit: Visit, style: Html): Html {
  const { title, text } = visit.t.outcome.contentBlocked
  return html`<!doctype html>
<html lang="${visit.locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="portal-version" content="${visit.site.versionLabel}">
<title>${title}</title>
<style>${style}</style>
</head>
<body><main><h1>${text(plainOperatorName(visit))}</h1></main></body>
</html>
`
}
