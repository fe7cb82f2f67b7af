import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as (options?: { readonly type: "minor" }) => void
const oldBytes = () =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")?.space_used_size ?? 0

/** How many bytes work leaves to the old generation when the young one alone is collected, every few times. */
export const oldBytesLeftBy = async (work: {
  readonly times: number
  readonly each: (n: number) => Promise<unknown>
}): Promise<number> => {
  const some = async (times: number) => {
    for (let n = 0; n < times; n++) {
      await work.each(n)
      if (n % 20 === 0) collect({ type: "minor" })
    }
  }
  // What is made once is made before.
  await some(work.times)
  collect()
  const before = oldBytes()
  await some(work.times)
  return oldBytes() - before
}
