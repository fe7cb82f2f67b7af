import { Piscina } from "piscina"

/**
 * Calls an exported function of a module on a thread that ends afterwards. `moved`: memory of the task that is moved to
 * it.
 */
export const runOnThread = async <A>(
  module: URL,
  name: string,
  task: unknown,
  moved: ReadonlyArray<ArrayBuffer> = []
): Promise<A> => {
  const thread = new Piscina({ filename: module.href, minThreads: 0, maxThreads: 1, recordTiming: false })
  try {
    return (await thread.run(task, { name, transferList: [...moved] })) as A
  } finally {
    await thread.destroy()
  }
}
