// OpenLDAP's server on loopback, with a directory of its own.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeServed } from '../../support/certificates.ts'
import type { Cleanup } from '../../support/cleanup.ts'
import { freePort } from '../../support/free-port.ts'
import { skipUnless, skipWithoutOpenssl } from '../../support/requirement.ts'
import { accepts } from '../../support/servers.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

export const skipWithoutSlapd =
  skipWithoutOpenssl || skipUnless(existsSync('/usr/sbin/slapd'), 'needs slapd: apt-get install slapd')

export const BASE = 'dc=school,dc=example'
export const ACCOUNT = `cn=gateway,${BASE}`
export const PASSWORD = 'a secret of the directory'

/** @param ldif entries below BASE and ACCOUNT */
export async function startSlapd(t: Cleanup, ldif: string) {
  const folder = temporaryFolder(t)
  const { ca, leaf } = makeServed('localhost')
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  mkdirSync(join(folder, 'data'))
  const caFile = file('ca.pem', ca.certificate)
  const conf = file(
    'slapd.conf',
    `${['core', 'cosine', 'nis', 'inetorgperson'].map((name) => `include /etc/ldap/schema/${name}.schema`).join('\n')}
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile ${join(folder, 'slapd.pid')}
TLSCertificateFile ${file('leaf.pem', leaf.certificate)}
TLSCertificateKeyFile ${file('leaf.key', leaf.key)}
# Neither a password nor an answer without TLS.
security ssf=128
database mdb
suffix "${BASE}"
directory ${join(folder, 'data')}
access to attrs=userPassword by anonymous auth
access to * by users read
`,
  )
  const root = `dn: ${BASE}
objectClass: dcObject
objectClass: organization
dc: school
o: School

dn: ${ACCOUNT}
objectClass: applicationProcess
objectClass: simpleSecurityObject
cn: gateway
userPassword: ${PASSWORD}

`
  execFileSync('/usr/sbin/slapadd', ['-q', '-f', conf, '-l', file('entries.ldif', root + ldif)], { stdio: 'pipe' })
  const [plainPort, tlsPort] = [await freePort(), await freePort()]
  const addresses = `ldap://127.0.0.1:${plainPort} ldaps://127.0.0.1:${tlsPort}`
  const server = spawn('/usr/sbin/slapd', ['-f', conf, '-h', addresses, '-d', '0'], { stdio: 'ignore' })
  t.after(async () => server.kill('SIGKILL'))
  await until(() => accepts(plainPort))
  return { caFile, ldap: `ldap://localhost:${plainPort}`, ldaps: `ldaps://localhost:${tlsPort}`, server }
}
