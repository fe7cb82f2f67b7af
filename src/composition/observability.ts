import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import { readLogs } from "#src/settings/logs.ts"
import { readOtlp } from "#src/settings/otlp.ts"
import { logLine, prettyLine } from "#src/telemetry/logLine.ts"

/** Logs are lines on stderr, by LOG_LEVEL and LOG_FORMAT. stdout is reserved for the output of commands. */
export const layer = Layer.unwrap(
  Effect.map(readLogs, ({ level, format }) => {
    const write = format === "pretty" ? prettyLine : JSON.stringify
    return Layer.merge(
      Logger.layer([
        Logger.make((options) => {
          process.stderr.write(`${write(logLine(options))}\n`)
        })
      ]),
      Layer.succeed(References.MinimumLogLevel, level)
    )
  })
)

/** Sends traces, metrics and logs of a server to a collector, if one is set. Its modules are loaded only then. */
export const exporting = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* readOtlp
    if (settings === null) return Layer.succeed(References.TracerEnabled, false)
    return (yield* Effect.promise(() => import("#src/telemetry/otlp.ts"))).layer(settings)
  })
)
