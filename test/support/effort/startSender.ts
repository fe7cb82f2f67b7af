import { Piscina } from "piscina"

export interface Posts {
  readonly url: string
  readonly key: string
  readonly bodies: ReadonlyArray<Uint8Array>
  /** Default POST. */
  readonly method?: string
}

export interface Sender {
  /** Sends all bodies at once. Resolves to the statuses of the answers. */
  readonly send: () => Promise<ReadonlyArray<number>>
  readonly close: () => Promise<void>
}

/** A client on a thread of its own, whose work does not count where the server's thread is measured. */
export const startSender = async (posts: Posts): Promise<Sender> => {
  const filename = new URL("sendingThread.ts", import.meta.url).href
  const pool = new Piscina({ filename, minThreads: 1, maxThreads: 1, workerData: posts })
  await pool.run({}, { name: "start" })
  return { send: () => pool.run({}, { name: "send" }), close: () => pool.destroy() }
}
