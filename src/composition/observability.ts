import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"

/** Logs are JSON lines on stderr. stdout is reserved for the output of commands. */
export const layer = Layer.mergeAll(
  Logger.layer([
    Logger.make((options) => {
      process.stderr.write(`${Logger.formatJson.log(options)}\n`)
    })
  ]),
  Layer.succeed(References.MinimumLogLevel, "Info")
)
