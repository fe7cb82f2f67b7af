import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import { readLogs } from "#src/settings/logs.ts"
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
