import { randomInt } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:net"

/**
 * A port where nobody listens, below those that connections going out take for themselves: nobody listens there a
 * moment later, either.
 */
export const freePort = async (): Promise<number> => {
  const port = randomInt(20_000, 32_000)
  const probe = createServer()
  const isFree = await new Promise<boolean>((resolve) => {
    probe.once("error", () => resolve(false))
    probe.listen(port, "127.0.0.1", () => resolve(true))
  })
  if (!isFree) return freePort()
  probe.close()
  await once(probe, "close")
  return port
}
