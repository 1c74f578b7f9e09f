// The network of the gateway's benchmark: one namespace for load and proxies, and one for the origin, because the shipped
// proxy forwards neither to loopback nor to an address of its own machine. Both end with their processes.
import { execFileSync, spawnSync } from 'node:child_process'
import { readlinkSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { type MadeCertificate, makeLeaf, makeServed } from '../../test/support/certificates.ts'
import type { Cores } from '../../test/support/processes.ts'
import { launch } from '../../test/support/servers.ts'
import { until } from '../../test/support/until.ts'
import { fillIn, findProgram } from './programs.ts'

export interface Origin {
  /** Of its certificate. */
  readonly ca: MadeCertificate
  readonly caFile: string
}

// Of the block for benchmarks, RFC 2544.
const [OUR_ADDRESS, ORIGIN_ADDRESS] = ['198.18.0.1', '198.18.0.2']
const PREFIX_LENGTH = 30
const PAGE_BYTES = 4096
const START_SECONDS = 10
const PATIENCE_MILLISECONDS = 10_000

// Squid leaves files in /dev/shm when it is killed.
const SET_UP =
  'ip link set lo up && mount -t tmpfs tmpfs /dev/shm && mount --bind "$1" /etc/hosts && shift && exec "$@"'
const NAMESPACES = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc']

/** @returns how to get what is missing */
export function missingForNetwork(): string | undefined {
  if (findProgram(/^ip$/) === undefined) return '`apt-get install iproute2`'
  const { status } = spawnSync('unshare', [...NAMESPACES, 'true'], { stdio: 'ignore', timeout: PATIENCE_MILLISECONDS })
  return status === 0 ? undefined : 'run it as root, where network namespaces are permitted'
}

/** The command in its own namespaces. @param hosts the file that replaces /etc/hosts there */
export function isolated(hosts: string, command: readonly string[]): readonly string[] {
  return ['unshare', ...NAMESPACES, 'sh', '-c', SET_UP, 'sh', hosts, ...command]
}

/** A hosts file in which these are names of the origin. */
export function hostsOf(names: Iterable<string>): string {
  return `127.0.0.1 localhost\n${Array.from(names, (name) => `${ORIGIN_ADDRESS} ${name}\n`).join('')}`
}

/**
 * Starts nginx on ports 80 and 443 of another namespace, on the core of the load.
 * @param names of its certificates: a large one would slow down every connection
 */
export async function startOrigin(
  folder: string,
  cores: Cores | undefined,
  names: Record<'allowed' | 'listed', readonly string[]>,
): Promise<Origin> {
  const { ca, leaf: allowed } = makeServed(...names.allowed)
  const listed = makeLeaf(ca, ...names.listed)
  const caFile = join(folder, 'origin-ca.pem')
  writeFileSync(caFile, ca.certificate)
  for (const [name, leaf] of Object.entries({ allowed, listed })) {
    writeFileSync(join(folder, `${name}.crt`), leaf.certificate)
    writeFileSync(join(folder, `${name}.key`), leaf.key)
  }
  writeFileSync(join(folder, 'page.html'), `<!doctype html><title>A page</title>${'text '.repeat(PAGE_BYTES / 5)}`)
  const nginx = findProgram(/^nginx$/) as string
  const configuration = fillIn(new URL('peers/origin.conf', import.meta.url), folder, {})
  const words = () => ['--net', nginx, '-p', folder, '-e', 'stderr', '-c', configuration]
  const { pid } = launch(
    { name: 'the origin', program: 'unshare', words },
    0,
    cores && { ...cores, server: cores.load },
  )
  const own = readlinkSync('/proc/self/ns/net')
  await until(() => readlinkSync(`/proc/${pid}/ns/net`) !== own, START_SECONDS)
  ip(`link add gateway type veth peer name origin netns ${pid}`)
  ip(`address add ${OUR_ADDRESS}/${PREFIX_LENGTH} dev gateway`)
  ip('link set gateway up')
  const there = ['nsenter', `--net=/proc/${pid}/ns/net`, 'ip']
  ip(`address add ${ORIGIN_ADDRESS}/${PREFIX_LENGTH} dev origin`, there)
  ip('link set origin up', there)
  await until(isReachable, START_SECONDS)
  return { ca, caFile }
}

function ip(words: string, [program, ...first]: readonly string[] = ['ip']): void {
  execFileSync(program as string, [...first, ...words.split(' ')], { stdio: 'pipe', timeout: PATIENCE_MILLISECONDS })
}

function isReachable(): Promise<boolean> {
  return new Promise((resolve) => {
    get({ host: ORIGIN_ADDRESS, timeout: 1000 }, (response) => resolve(response.resume().statusCode === 200)).on(
      'error',
      () => resolve(false),
    )
  })
}
