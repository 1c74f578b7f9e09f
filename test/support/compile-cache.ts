// What `npm test` has Node keep of the sources it has compiled: the tests start hundreds of programs, and starting one
// is mostly compiling it.

/** For the environment of a program that is given nothing else of ours. */
export const COMPILE_CACHE: Readonly<Record<string, string>> =
  process.env.NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }
