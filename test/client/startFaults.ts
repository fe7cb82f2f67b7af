import { once } from "node:events"
import { type AddressInfo, connect, createServer } from "node:net"

/** What happens to a connection. `cutAfter`: it is cut once so many bytes of the server's answer were passed on. */
export type Fault = { readonly cutAfter: number } | { readonly answer: string } | null

export interface Faults {
  readonly url: string
  /** How many connections there were. */
  readonly connections: () => number
  /** Decides what happens to the next connections, by their number, from 0. */
  readonly next: (fault: (connection: number) => Fault) => void
  /** Where connections go from now on, for a server that has started again. */
  readonly redirect: (target: string) => void
  readonly close: () => Promise<void>
}

/** A proxy in front of a server that cuts answers at any byte, or answers by itself. */
export const startFaults = async (target: string): Promise<Faults> => {
  let to = new URL(target)
  let count = 0
  let decide: (connection: number) => Fault = () => null
  const server = createServer((near) => {
    near.on("error", () => {})
    const fault = decide(count++)
    if (fault !== null && "answer" in fault) {
      near.once("data", () => near.end(fault.answer))
      return
    }
    let left = fault?.cutAfter ?? Number.POSITIVE_INFINITY
    const far = connect(Number(to.port), to.hostname)
    far.on("error", () => near.destroy())
    far.on("close", () => near.end())
    near.on("close", () => far.destroy())
    near.on("data", (bytes) => far.write(bytes))
    far.on("data", (bytes: Buffer) => {
      const passed = bytes.subarray(0, Math.min(left, bytes.length))
      left -= passed.length
      // What was passed on arrives, and then the connection breaks.
      if (left > 0) near.write(passed)
      else near.write(passed, () => near.resetAndDestroy())
    })
    if (left === 0) far.once("data", () => near.resetAndDestroy())
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => count,
    next: (fault) => {
      count = 0
      decide = fault
    },
    redirect: (target) => {
      to = new URL(target)
    },
    close: async () => {
      server.close()
      await once(server, "close")
    }
  }
}
