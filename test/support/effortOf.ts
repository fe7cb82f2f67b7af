/**
 * What comes of it, and the milliseconds of processor time that this process took for it on all of its threads: what
 * else the machine does meanwhile does not count.
 */
export const effortOf = async <A>(
  work: () => A | Promise<A>
): Promise<{ readonly result: A; readonly effortMs: number }> => {
  const before = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  return { result, effortMs: (user + system) / 1000 }
}
