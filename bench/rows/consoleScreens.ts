import type { Row } from "../Row.ts"
import { measureBesides } from "../support/besides.ts"
import type { Served } from "../support/processes.ts"

const ADMIN_TOKEN = "the-operator-of-the-bench"
const SCREENS = ["/console", "/console/bots", "/console/conversations", "/console/deliveries", "/console/system"]

/** Screens as browsers keep them open. The returned function leaves them. */
const openScreens = async ({ baseUrl }: Served): Promise<() => void> => {
  const leave = new AbortController()
  await Promise.all(
    SCREENS.map(async (path) => {
      const { status, body } = await fetch(`${baseUrl}${path}?live=1`, {
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
        signal: leave.signal
      })
      if (status !== 200 || body === null) throw new Error(`${path} was answered with ${status}`)
      void body.pipeTo(new WritableStream()).catch(() => {})
    })
  )
  return () => leave.abort()
}

export const consoleScreens: Row = {
  name: "console",
  run: (rounds) =>
    measureBesides(
      {
        name: "console",
        what: `${SCREENS.length} open console screens`,
        env: { ADMIN_TOKEN },
        open: (_, server) => openScreens(server)
      },
      rounds
    )
}
