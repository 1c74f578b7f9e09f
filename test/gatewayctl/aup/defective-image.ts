// A portal image with a defect that only shows at run time: certain texts end it, at once or a little later.
import { readFileSync } from 'node:fs'

const { GATEWAY_CAPTIVE_AUP_ENABLED, GATEWAY_CAPTIVE_AUP_PATH = '/etc/gateway-captive/aup.md' } = process.env
const text = GATEWAY_CAPTIVE_AUP_ENABLED === 'true' ? readFileSync(GATEWAY_CAPTIVE_AUP_PATH, 'utf8') : ''
const crash = () => {
  process.stderr.write('the defect: \u001b[31mthis text is too much\n')
  process.exit(70)
}
if (text.includes('CRASH AT ONCE')) crash()
if (text.includes('CRASH LATER')) setTimeout(crash, 2500)
