// Squid's configuration: each line that lets nothing past the engine, and nobody into the inside of the network. Without those of
// which a second line, or the engine, makes the removal harmless, such as `http_access deny inside`, which is repeated after the
// decision.
import { mutationsOf } from '../mutation.ts'

const FILE = 'deploy/proxy/squid.conf'
const ACCESS = 'checks/gateway/access.test.ts'
const OUTAGE = 'checks/gateway/engine-outage.test.ts'
const RULED = 'checks/gateway/ruled-hosts.test.ts'
const FILES = 'test/proxy/squid-files.test.ts'

const without = (opens: string, line: string) => [opens, `\n${line}\n`, '\n'] as const

export const SQUID_FAULTS = [
  ...mutationsOf(
    FILE,
    ['checks/gateway/a-connect-within-a-decrypted-connection-was-a-tunnel.test.ts'],
    [
      without('a CONNECT within a decrypted connection is a tunnel', 'http_access deny is_connect marked'),
      [
        'connections that are decrypted are not marked',
        'ssl_bump bump explicit_port mark\n',
        'ssl_bump bump explicit_port\n',
      ],
    ],
  ),
  ...mutationsOf(
    FILE,
    [ACCESS],
    [
      without("Squid's manager is open", 'http_access deny manager'),

      without('a CONNECT reaches any port', 'http_access deny is_connect !connect_ports !exempt_ws'),
      without('a request reaches any port', 'http_access deny !web_ports'),

      ['loopback is open', 'acl reserved dst 0.0.0.0/8 127.0.0.0/8 ', 'acl reserved dst 0.0.0.0/8 '],
      [
        'the addresses of this machine are open',
        'acl inside any-of reserved this_machine internal',
        'acl inside any-of reserved internal',
      ],
      [
        '[gateway] internal is open',
        'acl inside any-of reserved this_machine internal',
        'acl inside any-of reserved this_machine',
      ],
      [
        'every connection is a tunnel',
        'ssl_bump splice explicit_port portal\n',
        'ssl_bump splice explicit_port connect_ports\n',
      ],
      [
        'https of exempt hosts is not decided',
        'adaptation_access verdict deny is_connect !exempt',
        'adaptation_access verdict deny is_connect',
      ],
    ],
  ),
  ...mutationsOf(
    FILE,
    ['checks/gateway/regressions.test.ts'],
    [without('strangers have names looked up', 'http_access deny !clients !certificate_fetching')],
  ),
  ...mutationsOf(
    FILE,
    ['checks/gateway/upstream.test.ts'],
    [
      without('a name that came to point inside after the decision is open', 'adapted_http_access deny inside'),

      ["an origin's certificate may be from anybody", 'sslproxy_cert_error deny all', 'sslproxy_cert_error allow all'],
    ],
  ),
  ...mutationsOf(
    FILE,
    ['checks/gateway/exempt.test.ts'],
    [
      without(
        'a tunnel to an exempt host leads to every site of its server',
        'ssl_bump terminate explicit_port exempt_hosts',
      ),
      without('a name with a wildcard is one of an exempt host', 'ssl_bump terminate wildcard_sni'),
      [
        'a tunnel to an exempt host has any protocol',
        'ssl_bump splice explicit_port exempt_hosts opaque_hosts',
        'ssl_bump splice explicit_port exempt_hosts',
      ],
    ],
  ),
  ...mutationsOf(
    FILE,
    ['checks/tests/transparent.test.ts'],
    [
      without(
        "redirected http with the portal's name reaches the address",
        'http_access deny portal_name !explicit_port !is_connect',
      ),
      [
        "redirected http with the portal's name is not decided",
        'acl portal all-of portal_host portal_ports explicit_port',
        'acl portal all-of portal_host portal_ports',
      ],
      without('a CONNECT in redirected http is a tunnel', 'http_access deny is_connect redirected_http'),
      [
        'within a connection with one site, another is decided',
        '\nadaptation_meta X-Handshake "%>la %#ssl::>sni" redirected_tls\n',
        '\n',
      ],
      [
        'within a connection with one site, one that no rule names is not decided',
        'deny unruled !redirected_tls ',
        'deny unruled ',
      ],
    ],
  ),
  ...mutationsOf(
    FILE,
    [OUTAGE],
    [['without the engine everything passes', 'bypass=off ${ICAP_TLS}', 'bypass=on ${ICAP_TLS}']],
  ),
  ...mutationsOf(
    FILE,
    [RULED],
    [
      without('what the helper did not answer about passes', 'http_access deny !asked ${IF_SOME_ARE_RULED}'),
      [
        'hosts with any answer of the helper are not decided',
        'acl unruled note ruled_ no ',
        'acl unruled note ruled_ ',
      ],
    ],
  ),
  ...mutationsOf(
    'src/proxy/squid-files.ts',
    [FILES],
    [
      [
        'visitors need no password',
        'http_access deny explicit_port !auth_except',
        'http_access deny !explicit_port !auth_except',
      ],
      ["this machine's own names are names of the portal", ' && !THIS_MACHINE.test(name)', ''],
    ],
  ),
  ...mutationsOf(
    'src/proxy/squid/squid-networks.ts',
    [FILES, 'test/regressions/in-the-proxy.test.ts'],
    [['"every IPv4 address" includes IPv6', "masks[0] === 0 ? ['0.0.0.0/1', '128.0.0.0/1'] : ", '']],
  ),
  ...mutationsOf(
    'src/proxy/machine.ts',
    ['test/proxy/machine.test.ts'],
    [["the container's host is open", '...(isInContainer ? [...hostIpv4', '...(!isInContainer ? [...hostIpv4']],
  ),
  ...mutationsOf(
    'src/proxy/settings/opening-directives.ts',
    ['test/proxy/settings.test.ts'],
    [
      [
        "the operator's file may extend an access list",
        'if (OPENING.some((pattern) => pattern.test(name))) return name',
        '',
      ],
    ],
  ),
  ...mutationsOf(
    'src/proxy/supervise.ts',
    ['checks/gateway/reload.test.ts'],
    [
      [
        "an operator's file that opens something comes into force at a reload",
        'const rejection = unsafeFile(settings, templates) ?? (await prepare(next))',
        'const rejection = await prepare(next)',
      ],
    ],
  ),
  ...mutationsOf(
    'src/proxy/follow.ts',
    ['test/proxy/follow.test.ts'],
    [['after a clock that was set back, old answers of the helper count', 'isSetBack ||= clock() < time', '']],
  ),
  ...mutationsOf(
    'src/published/files.ts',
    ['test/published/read.test.ts', 'test/engine/proxy-settings/published.test.ts'],
    [
      [
        'without its file, no host counts as ruled',
        "wordsOf('every', 'some'), 'every')",
        "wordsOf('every', 'some'), 'some')",
      ],
      [
        'an exempt host is read with all hosts below it',
        'host === undefined ? undefined : { host, below }',
        'host === undefined ? undefined : { host, below: true }',
      ],
    ],
  ),
  ...mutationsOf(
    'src/published/read.ts',
    ['test/published/read.test.ts'],
    [
      [
        'of a file that is too long, the beginning counts',
        'if (bytes.length > MAXIMUM_BYTES) throw',
        'if (false) throw',
      ],
    ],
  ),
]
