import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { constants } from "node:os"
import * as observability from "#src/composition/observability.ts"
import { Settings } from "#src/settings/Settings.ts"

/** A shutdown that takes longer than this is cut off. Nothing is lost, because all state is in the tables. */
const EXIT_BY_MS = 9_000

const oneLine = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? (error.message.split("\n", 1)[0] ?? error.name) : String(error)
}

const exitSoon = (code: number) => {
  setTimeout(() => process.exit(code), EXIT_BY_MS).unref()
}

/**
 * Runs to the end. A failure is one line on stderr, before the layer is closed, and exit code 1. A command that
 * succeeds may set `process.exitCode`. A requested stop is the end of what runs until then; any other command has not
 * done its work, so its exit code is that of a process that the signal has ended.
 */
const run = <A, E, R, LE>(
  command: Effect.Effect<A, E, R>,
  layer: Layer.Layer<R, LE>,
  { runsUntilStopped }: { readonly runsUntilStopped: boolean }
): void => {
  let stopCode = 0
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => {
      if (!runsUntilStopped) stopCode = 128 + constants.signals[signal]
      exitSoon(stopCode)
    })
  }
  let isTold = false
  const tell = (cause: Cause.Cause<unknown>) =>
    Effect.sync(() => {
      if (isTold || Cause.hasInterruptsOnly(cause)) return
      isTold = true
      process.stderr.write(`troupe: ${oneLine(cause)}\n`)
      exitSoon(1)
    })
  const told = command.pipe(
    Effect.tapCause(tell),
    Effect.provide(layer),
    Effect.provide(observability.layer),
    Effect.tapCause(tell)
  )
  NodeRuntime.runMain(told, {
    disableErrorReporting: true,
    teardown: (exit, onExit) =>
      onExit(Exit.isSuccess(exit) ? Number(process.exitCode ?? 0) : Cause.hasInterruptsOnly(exit.cause) ? stopCode : 1)
  })
}

/** A command that runs on the server's machine and reads its settings. */
export const runCommand = <A, E>(command: Effect.Effect<A, E, Settings>): void =>
  run(command, Settings.layer, { runsUntilStopped: false })

/** A command on what this layer opens, such as the database. */
export const runCommandOn = <A, E, R, LE>(
  layer: Layer.Layer<R, LE, Settings>,
  command: Effect.Effect<A, E, R | Settings>
): void => run(command, Layer.provideMerge(layer, Settings.layer), { runsUntilStopped: false })

/** A server, which reads the settings. */
export const runServer = <A, E>(server: Effect.Effect<A, E, Settings>): void =>
  run(server, Settings.layer, { runsUntilStopped: true })

/** A command that talks to a server from anywhere. If its reader closes the pipe (`| head`), that is a success. */
export const runClient = <A, E>(command: Effect.Effect<A, E, Scope.Scope>): void => {
  process.stdout.on("error", () => process.exit(0))
  run(Effect.scoped(command), Layer.empty, { runsUntilStopped: true })
}
