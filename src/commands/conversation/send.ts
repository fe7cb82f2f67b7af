import { randomUUID } from "node:crypto"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { type Api, ApiFailed } from "#src/commands/terminal/api.ts"
import { note } from "#src/commands/terminal/output.ts"

const LONGEST_WAIT = Duration.seconds(5)

const patience = Schedule.min([Schedule.exponential("250 millis"), Schedule.spaced(LONGEST_WAIT)]).pipe(
  Schedule.jittered,
  Schedule.setInputType<ApiFailed>(),
  Schedule.while(({ input }) => input.passing),
  Schedule.modifyDelay(({ duration }) => Effect.succeed(Duration.min(duration, LONGEST_WAIT)))
)

export interface Message {
  readonly text: string
  readonly mode: string
  /** The server and readers of the log identify the message by this key. */
  readonly key: string
}
export const newMessage = (text: string, mode: string): Message => ({ text, mode, key: randomUUID() })

/** Sends a message exactly once, with as many requests as needed, until the server has it or refuses it. */
export const send = Effect.fnUntraced(function* (api: Api, sessionId: string, { text, mode, key }: Message) {
  let noted = false
  yield* api
    .post(`/v1/sessions/${encodeURIComponent(sessionId)}/messages`, { text, reply_mode: mode }, Schema.Unknown, {
      "idempotency-key": key
    })
    .pipe(
      Effect.tapError((error) =>
        Effect.sync(() => {
          if (error.passing && !noted) note(`${error.message}; retrying`)
          noted ||= error.passing
        })
      ),
      Effect.retry(patience)
    )
})
