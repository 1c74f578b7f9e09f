// With a logo, `gatewayctl portal doctor` said of /ca that it needs further requests, although the logo is part of the page: in
// "src="data:" the optional quote of its pattern also matched nothing, and what followed then was not "data:".
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { pageFaults } from '../../src/gatewayctl/portal/doctor/certificate.ts'
import { makeServed } from '../support/certificates.ts'
import { skipWithoutOpenssl } from '../support/requirement.ts'

test('an image in the page is no further request, and one elsewhere is', { skip: skipWithoutOpenssl }, () => {
  const { fingerprint256 } = new X509Certificate(makeServed('localhost').ca.certificate)
  const certificate = { sha256: fingerprint256 }
  const faults = (image: string) => {
    const body = Buffer.from(`<img ${image} alt="Northwind"><p>${fingerprint256}</p>`)
    const response = { status: 200, headers: {}, body } as Parameters<typeof pageFaults>[0]
    return pageFaults(response, { certificate } as Parameters<typeof pageFaults>[1])
  }
  for (const image of ['src="data:image/svg+xml,x"', "src='data:image/png;base64,x'", 'src = data:image/webp,x']) {
    assert.deepEqual(faults(image), [], image)
  }
  for (const image of ['src="/logo.svg"', 'src=logo.svg', "src = 'https://cdn.example/data:'"]) {
    assert.deepEqual(faults(image), ['it needs further requests'], image)
  }
})
