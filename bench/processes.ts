// For test/portal/process/bundle.test.ts alone, until it imports the shared file itself.
export { cpuSeconds, residentBytes } from '../test/support/processes.ts'
