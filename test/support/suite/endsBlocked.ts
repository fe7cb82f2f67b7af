import { Worker } from "node:worker_threads"
import { TEST_MS } from "#test/support/patience.ts"

const BEAT_MS = 1000
const STARTED = Symbol.for("test/support/suite/endsBlocked")

/** Kills the process when its main thread has not counted on for this long. */
const watch = `
  const { workerData: { beats, mostMs, message } } = require("node:worker_threads")
  for (;;) {
    const seen = Atomics.load(beats, 0)
    if (Atomics.wait(beats, 0, seen, mostMs) === "timed-out") {
      require("node:fs").writeSync(2, message)
      process.kill(process.pid, "SIGKILL")
    }
  }`

// A test that blocks its thread does not end by its time limit, so another thread of the process ends it: the run is
// red, and names the file. Files of one process share the thread.
if (!(STARTED in globalThis)) {
  Object.defineProperty(globalThis, STARTED, { value: true })
  const beats = new Int32Array(new SharedArrayBuffer(4))
  setInterval(() => {
    Atomics.add(beats, 0, 1)
    Atomics.notify(beats, 0)
  }, BEAT_MS).unref()
  const message = `A test has blocked its process for ${TEST_MS / 1000} seconds.\n`
  new Worker(watch, { eval: true, workerData: { beats, mostMs: TEST_MS, message } }).unref()
}
