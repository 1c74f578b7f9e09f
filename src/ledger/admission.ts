// Who may begin: when more come than the database can take, the rest is turned away soon, and those whom the engine has
// answered find room for what it said. An attempt that was begun and is not completed tells an auditor nothing.

/** Runs the work as soon as there is a place for it. */
export type Admit = <T>(work: () => Promise<T>) => Promise<T>

/**
 * @param places how many may be at work at once
 * @param patience milliseconds that anybody waits for a place
 */
export function createAdmission(places: number, patience: number): Admit {
  const line: (() => void)[] = []
  let free = places

  function wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        line.splice(line.indexOf(enter), 1)
        reject(new Error('too many are waiting for the database'))
      }, patience)
      line.push(enter)
    })
  }

  return async (work) => {
    if (free > 0) free--
    else await wait()
    try {
      return await work()
    } finally {
      const next = line.shift()
      if (next === undefined) free++
      else next()
    }
  }
}
