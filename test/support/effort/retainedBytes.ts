import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as (options?: { readonly type: "minor" }) => void
const oldBytes = () =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")?.space_used_size ?? 0

/** How many bytes the work leaves in the old generation if only the young one is collected, after every few runs. */
export const retainedBytes = async (work: {
  readonly times: number
  readonly each: (n: number) => Promise<unknown>
}): Promise<number> => {
  const some = async (times: number) => {
    for (let n = 0; n < times; n++) {
      await work.each(n)
      if (n % 20 === 0) collect({ type: "minor" })
    }
  }
  // A warm-up, for objects that are only created once.
  await some(work.times)
  collect()
  const before = oldBytes()
  await some(work.times)
  return oldBytes() - before
}
