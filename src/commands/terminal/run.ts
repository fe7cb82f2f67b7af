import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as observability from "#src/composition/observability.ts"
import { Settings } from "#src/settings/Settings.ts"

/** A shutdown that takes longer than this is cut off. Nothing is lost, because all state is in the tables. */
const EXIT_BY_MS = 9_000

const oneLine = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? (error.message.split("\n", 1)[0] ?? error.name) : String(error)
}

/**
 * Runs to the end. A failure is one line on stderr and exit code 1. A requested stop is a success. A command that
 * succeeds may set `process.exitCode`.
 */
const run = <A, E>(command: Effect.Effect<A, E>): void => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => setTimeout(() => process.exit(0), EXIT_BY_MS).unref())
  }
  const told = command.pipe(
    Effect.provide(observability.layer),
    Effect.tapCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.void
        : Effect.sync(() => {
            process.stderr.write(`troupe: ${oneLine(cause)}\n`)
          })
    )
  )
  NodeRuntime.runMain(told, {
    disableErrorReporting: true,
    teardown: (exit, onExit) =>
      onExit(Exit.isSuccess(exit) ? Number(process.exitCode ?? 0) : Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
  })
}

/** A command that runs on the server's machine and reads its settings. */
export const runCommand = <A, E>(command: Effect.Effect<A, E, Settings>): void =>
  run(Effect.provide(command, Settings.layer))

/** A command that talks to a server from anywhere. If its reader closes the pipe (`| head`), that is a success. */
export const runClient = <A, E>(command: Effect.Effect<A, E, Scope.Scope>): void => {
  process.stdout.on("error", () => process.exit(0))
  run(Effect.scoped(command))
}
