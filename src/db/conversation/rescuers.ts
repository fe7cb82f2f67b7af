/** How long after a lost connection others may still be taking their locks again. */
const OTHERS_RETURN_MS = 10_000

/**
 * When this process may declare others dead. After the database has restarted or failed over, no process holds its
 * lock for a moment, although all of them live. So a process that has lost its own lock declares nobody dead until it
 * has held it again for ten seconds.
 */
export const rescuers = (now: () => number = () => performance.now()) => {
  const without = new Set<string>()
  let from = -Infinity
  return {
    away: (workerId: string) => void without.add(workerId),
    held: (workerId: string, again: boolean) => {
      without.delete(workerId)
      if (again) from = now() + OTHERS_RETURN_MS
    },
    gone: (workerId: string) => void without.delete(workerId),
    mayRescue: (): boolean => without.size === 0 && now() >= from
  }
}
