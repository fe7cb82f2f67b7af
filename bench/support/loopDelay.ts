import { writeFileSync } from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"

/** Preloaded into a server. On SIGUSR2 it writes the event loop delay since the last signal, in milliseconds. */
const file = process.env["LOOP_DELAY_FILE"]
if (file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  process.on("SIGUSR2", () => {
    writeFileSync(
      file,
      JSON.stringify({
        p50: delay.percentile(50) / 1e6 - 5,
        p99: delay.percentile(99) / 1e6 - 5,
        max: delay.max / 1e6 - 5
      })
    )
    delay.reset()
  })
}
