// The images that `npm run check -- deploy` has built, for the tests that it runs on them.
const {
  BASE_TEST_IMAGE = '',
  PORTAL_TEST_IMAGE = '',
  ENGINE_TEST_IMAGE = '',
  TERMINATOR_TEST_IMAGE = '',
  PROXY_TEST_IMAGE = '',
  POSTGRESQL_TEST_IMAGE = '',
} = process.env

if (PORTAL_TEST_IMAGE === '') throw new Error('PORTAL_TEST_IMAGE is not set: run npm run check -- deploy')

export const images = {
  base: BASE_TEST_IMAGE,
  portal: PORTAL_TEST_IMAGE,
  engine: ENGINE_TEST_IMAGE,
  terminator: TERMINATOR_TEST_IMAGE,
  proxy: PROXY_TEST_IMAGE,
  postgresql: POSTGRESQL_TEST_IMAGE,
}
