// The certificate as a configuration profile for Apple's systems. Its identifiers are derived from the fingerprint:
// installing it twice gives one profile, and a rotated CA gets a different one.
import { createHash } from 'node:crypto'
import type { CaCertificate } from './ca-certificate.ts'

/** @param organisation is shown as the profile's author */
export function appleProfile(certificate: CaCertificate, organisation: string): Buffer {
  const fingerprint = certificate.sha256.replaceAll(':', '').toLowerCase()
  const identifier = `gateway-captive.interception-ca.${fingerprint}`
  const name = xml(certificate.name)
  return Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
<key>PayloadType</key><string>Configuration</string>
<key>PayloadVersion</key><integer>1</integer>
<key>PayloadIdentifier</key><string>${identifier}</string>
<key>PayloadUUID</key><string>${derivedUuid(identifier)}</string>
<key>PayloadDisplayName</key><string>${name}</string>
<key>PayloadOrganization</key><string>${xml(organisation)}</string>
<key>PayloadDescription</key><string>SHA-256 ${certificate.sha256}</string>
<key>PayloadContent</key>
<array>
<dict>
<key>PayloadType</key><string>com.apple.security.root</string>
<key>PayloadVersion</key><integer>1</integer>
<key>PayloadIdentifier</key><string>${identifier}.root</string>
<key>PayloadUUID</key><string>${derivedUuid(`${identifier}.root`)}</string>
<key>PayloadDisplayName</key><string>${name}</string>
<key>PayloadContent</key>
<data>
${base64Lines(certificate.der)}
</data>
</dict>
</array>
</dict>
</plist>
`)
}

/** RFC 4648 in lines of 64 characters, as in PEM. */
export function base64Lines(bytes: Buffer): string {
  return (bytes.toString('base64').match(/.{1,64}/g) ?? []).join('\n')
}

/** A UUID of version 8 (RFC 9562, section 5.8). */
function derivedUuid(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    .toUpperCase()
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
/** Characters that XML 1.0 cannot contain, not even escaped. */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

function xml(text: string): string {
  return text.replace(NOT_XML, '\ufffd').replace(/[&<>]/g, (character) => ENTITIES[character] as string)
}
