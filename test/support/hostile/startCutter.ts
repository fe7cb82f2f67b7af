import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface Cutter {
  readonly url: string
  /** Cuts every connection, as a bad network does. New ones are passed on. */
  readonly cut: () => void
  /** Cuts every connection, and each new one until this is called with false. */
  readonly away: (isAway: boolean) => void
  readonly close: () => Promise<void>
}

/** A proxy that passes everything on, until it is told otherwise. */
export const startCutter = async (target: string): Promise<Cutter> => {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  let refuses = false
  const server = createServer((near) => {
    if (refuses) {
      near.destroy()
      return
    }
    const far = connect(Number(port), hostname)
    for (const [one, other] of [
      [near, far],
      [far, near]
    ] as const) {
      open.add(one)
      one.pipe(other)
      one.on("error", () => {})
      one.on("close", () => {
        open.delete(one)
        other.destroy()
      })
    }
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    away: (isAway) => {
      refuses = isAway
      if (isAway) cut()
    },
    close: async () => {
      cut()
      server.close()
      await once(server, "close")
    }
  }
}
