// Two certificates of a CA that nobody has the key of, for the preview's certificate page.
import { type CaCertificate, parseCaCertificate } from '../../certificate/ca-certificate.ts'

export const sampleCertificate = parse(`-----BEGIN CERTIFICATE-----
MIIBxTCCAWugAwIBAgIULqYU6KxyU0aw6AiLc/P1zb90ONswCgYIKoZIzj0EAwIw
PzEcMBoGA1UECgwTU2FtcGxlIE9yZ2FuaXNhdGlvbjEfMB0GA1UEAwwWU2FtcGxl
IEludGVyY2VwdGlvbiBDQTAeFw0yNjAxMDEwMDAwMDBaFw00NjAxMDEwMDAwMDBa
MD8xHDAaBgNVBAoME1NhbXBsZSBPcmdhbmlzYXRpb24xHzAdBgNVBAMMFlNhbXBs
ZSBJbnRlcmNlcHRpb24gQ0EwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATIskr9
/9FhBzUgaSg5wHPA/SCoO7a9KJE3ZoIUAyd/fODMrW0AQO52WUmKWrmOeggWpRb/
if2yLo1iCrZEpaQ/o0UwQzASBgNVHRMBAf8ECDAGAQH/AgEAMA4GA1UdDwEB/wQE
AwIBBjAdBgNVHQ4EFgQUT8PJKVvLl13f/O3Vl/IkvNbc2UswCgYIKoZIzj0EAwID
SAAwRQIgGXdrKxfKULXWFzshIsmWcf6so/fqLlAQltPX2IMEdnQCIQDP5PVNxLmc
VoC+7ijELmh81pquScjUoqeB5F4HnDUfOw==
-----END CERTIFICATE-----
`)

export const nextSampleCertificate = parse(`-----BEGIN CERTIFICATE-----
MIIBzzCCAXWgAwIBAgIUCtKLgfuYtjSw8rONpfMLOkMGdvEwCgYIKoZIzj0EAwIw
RDEcMBoGA1UECgwTU2FtcGxlIE9yZ2FuaXNhdGlvbjEkMCIGA1UEAwwbTmV4dCBT
YW1wbGUgSW50ZXJjZXB0aW9uIENBMB4XDTI2MDEwMTAwMDAwMFoXDTQ2MDEwMTAw
MDAwMFowRDEcMBoGA1UECgwTU2FtcGxlIE9yZ2FuaXNhdGlvbjEkMCIGA1UEAwwb
TmV4dCBTYW1wbGUgSW50ZXJjZXB0aW9uIENBMFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAESR9Zmw5isBG46E9j7h5e+eXWymhFu9aN058FlpT7Iqc46/xNg8k8q2vw
1mfi4GaWSyLNeseW47Xpd2rWv5QCo6NFMEMwEgYDVR0TAQH/BAgwBgEB/wIBADAO
BgNVHQ8BAf8EBAMCAQYwHQYDVR0OBBYEFE6Eytd7I75ave9PsAc4NZJn9jnUMAoG
CCqGSM49BAMCA0gAMEUCIQCOfacotRu5sQoX2vBBP00WQANkri4U21l2ap9RYUoB
qQIgerLMRd3r0IIieDbFNtfjlqoo1jJqPEPn9CtD7gXF5iI=
-----END CERTIFICATE-----
`)

function parse(pem: string): CaCertificate {
  return parseCaCertificate(Buffer.from(pem)) as CaCertificate
}
