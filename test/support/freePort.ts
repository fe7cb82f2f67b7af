import { randomInt } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:net"

/** An unused port below the range for outgoing connections, so that it stays unused for a while. */
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
