// The ledger, and the certificates that the gateway issues and offers.
import { mutationsOf } from '../mutation.ts'

const ISSUE = 'src/engine/certificates/issue.ts'
const PROXY_CA = 'test/engine/certificates/proxy-ca.test.ts'
const HEADS = 'test/ledger/heads/appending.test.ts'
const PUBLISH = 'test/engine/certificates/publish.test.ts'

export const RECORD_FAULTS = [
  ...mutationsOf(
    'src/ledger/acceptances.ts',
    ['test/ledger/recording.test.ts'],
    [['an attempt gets a second outcome', ".where('answered_at', 'is', null)", '']],
  ),
  ...mutationsOf(
    'src/ledger/derive-acceptance.ts',
    ['test/ledger/recording.test.ts'],
    [['an acceptance is lost', "if (acceptance.state === 'accepted' && state !== 'accepted') return acceptance", '']],
  ),
  ...mutationsOf(
    'src/gatewayctl/portal/acceptances/verifying/leaves.ts',
    [HEADS],
    [['a backdated attempt passes', 'group.coveredUntil !== null &&', 'false &&']],
  ),
  ...mutationsOf(
    'src/gatewayctl/portal/acceptances/verifying/heads.ts',
    [HEADS],
    [['a head by any key counts', '!exportedKeys.has(key)', 'false']],
  ),
  ...mutationsOf(
    'src/ledger/delete-acceptances.ts',
    [HEADS],
    [['a deletion leaves no entry', 'if (deleted === 0) return 0', 'return deleted']],
  ),
  ...mutationsOf(
    'src/database/sqlite-worker.ts',
    ['test/ledger/opening.test.ts'],
    [['a power cut loses acceptances', 'pragma synchronous = full', 'pragma synchronous = normal']],
  ),
  ...mutationsOf(
    ISSUE,
    [PROXY_CA],
    [
      [
        "the proxy's CA issues further CAs",
        'new x509.BasicConstraintsExtension(true, 0, true)',
        'new x509.BasicConstraintsExtension(true, 1, true)',
      ],

      [
        "the proxy's CA signs anything",
        'new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),\n      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),',
        'new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),',
      ],
    ],
  ),
  ...mutationsOf(
    'src/engine/certificates/proxy-ca.ts',
    ['test/engine/certificates/proxy-ca-file.test.ts'],
    [["everybody reads the proxy's key", 'const MODE = 0o640', 'const MODE = 0o644']],
  ),
  ...mutationsOf(
    'src/engine/certificates/pem-files.ts',
    [PUBLISH],
    [["everybody reads the interception CA's key", 'const SECRET = 0o600', 'const SECRET = 0o644']],
  ),
  ...mutationsOf(
    'src/engine/state/key-file.ts',
    ['test/engine/state/key-file.test.ts'],
    [['everybody reads the key that seals tokens', 'await chmod(unfinished, 0o600)', 'await chmod(unfinished, 0o644)']],
  ),
  ...mutationsOf(
    'src/certificate/ca-certificate.ts',
    ['test/certificate/ca-certificate.test.ts'],
    [['any certificate is offered as the CA', 'certificate.ca && isDated', 'isDated']],
  ),
]
