// Node's compile cache during `npm test`: the tests start hundreds of programs, and compiling is most of the start.

/** For programs that inherit nothing else from the test's environment. */
export const COMPILE_CACHE: Readonly<Record<string, string>> =
  process.env.NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }
