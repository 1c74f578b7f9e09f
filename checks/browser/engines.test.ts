// What depends on the browser's engine, in Chromium; in Firefox with `npm run check -- firefox`. Each part has its own file in
// `engines/`; they share browser and preview, because starting these costs more than most of them.
import { after, before, describe } from 'node:test'
import { ENGINES, type RunningEngine } from '../../test/support/browser.ts'
import { type RunningPreview, startPreview } from '../../test/support/preview.ts'
import { testAnnouncements } from './engines/announcements.ts'
import { testFragment } from './engines/fragment.ts'
import { testGoBack } from './engines/go-back.ts'
import { testGuard } from './engines/guard.ts'
import { testDetails } from './engines/help-desk.ts'
import { testKeyboard } from './engines/keyboard.ts'
import { testLanguages } from './engines/languages.ts'
import { testPin } from './engines/pin.ts'
import { testWithoutScript } from './engines/without-script.ts'

for (const engine of ENGINES) {
  describe(engine.name, { skip: engine.skip }, () => {
    let running: RunningEngine
    let preview: RunningPreview
    before(async () => {
      running = await engine.start()
      preview = await startPreview()
    })
    after(async () => {
      await running?.close()
      await preview?.close()
    })

    for (const part of [
      testAnnouncements,
      testFragment,
      testGoBack,
      testGuard,
      testDetails,
      testKeyboard,
      testLanguages,
      testPin,
      testWithoutScript,
    ]) {
      part(
        engine,
        () => running,
        () => preview,
      )
    }
  })
}
