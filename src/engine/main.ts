// The program: the engine, or one of its jobs, which timers start. A job loads none of the engine's packages.

type Job = (args: readonly string[], env: NodeJS.ProcessEnv) => Promise<number>

const JOBS = new Map<string, () => Promise<Job>>([
  ['update-groups', async () => (await import('./update-groups/update-groups.ts')).updateGroups],
  ['update-lists', async () => (await import('./update-lists/update-lists.ts')).updateLists],
])

const [name = '', ...args] = process.argv.slice(2)
const loadJob = JOBS.get(name)
if (loadJob === undefined) await import('./process.ts')
else {
  const job = await loadJob()
  process.exitCode = await job(args, process.env)
}
