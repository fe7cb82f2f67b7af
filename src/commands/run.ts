import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as observability from "#src/observability.ts"
import { Settings } from "#src/settings.ts"

/** Shutdown that has not come to its end by then is cut off: nothing is lost by it, the tables hold the truth. */
const EXIT_BY_MS = 9_000

const oneLine = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? error.message.split("\n", 1)[0] ?? error.name : String(error)
}

/** Runs a command to its end. A failure is one line on stderr and exit code 1; being asked to stop is a success. */
export const runCommand = <A, E>(command: Effect.Effect<A, E, Settings>): void => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => setTimeout(() => process.exit(0), EXIT_BY_MS).unref())
  }
  const told = command.pipe(
    Effect.provide(Settings.layer.pipe(Layer.provideMerge(observability.layer))),
    Effect.tapCause((cause) => Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.sync(() => { process.stderr.write(`troupe: ${oneLine(cause)}\n`) }))
  )
  NodeRuntime.runMain(told, {
    disableErrorReporting: true,
    teardown: (exit, onExit) => onExit(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
  })
}
