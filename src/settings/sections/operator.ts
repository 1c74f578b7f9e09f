// The operator's name: pages have it, and a new interception CA.
import { line } from '../shapes.ts'

export const ORG_NAME = {
  purpose: 'Name of the operator.',
  shape: line(),
}
