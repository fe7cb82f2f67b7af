/**
 * The result, and the CPU time in milliseconds that this process used on all of its threads. Other load on the machine
 * does not count.
 */
export const effortOf = async <A>(
  work: () => A | Promise<A>
): Promise<{ readonly result: A; readonly effortMs: number }> => {
  const before = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  return { result, effortMs: (user + system) / 1000 }
}
