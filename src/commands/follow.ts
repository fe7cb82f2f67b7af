import { createParser, type EventSourceMessage } from "eventsource-parser"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type Api, ApiFailed } from "./api.ts"
import { note } from "./output.ts"

const LogEvent = Schema.Struct({
  id: Schema.String,
  cursor: Schema.Int,
  type: Schema.String,
  role: Schema.String,
  trace_id: Schema.String,
  created_at: Schema.String,
  payload: Schema.Record(Schema.String, Schema.Unknown)
})
export interface LogEvent extends Schema.Schema.Type<typeof LogEvent> {}
const decodeEvent = Schema.decodeUnknownEffect(Schema.fromJsonString(LogEvent))

/** A parsed event, and the JSON that it was parsed from. */
export interface Logged {
  readonly event: LogEvent
  readonly json: string
}

/** The server sends something every fifteen seconds, so a connection that is silent for longer than this is dead. */
const SILENCE = "45 seconds"
const FIRST_WAIT = Duration.seconds(1)
const LONGEST_WAIT = Duration.seconds(30)
const LONGEST_FRAME = 16 * 1024 * 1024

const lost = (why: string) => new ApiFailed({ problem: `the stream ended: ${why}`, code: null, passing: true })

/**
 * Splits a response into messages. Uses the parser of the eventsource package, because its EventSource drops event
 * types that are not registered.
 */
const messages = (response: Response, onRetry: (millis: number) => void) => {
  const { body } = response
  if (body === null) return Stream.empty
  const cut: Array<EventSourceMessage> = []
  const parser = createParser({ onEvent: (message) => cut.push(message), onRetry, maxBufferSize: LONGEST_FRAME })
  return Stream.fromReadableStream({ evaluate: () => body, onError: () => lost("the connection broke") }).pipe(
    Stream.timeoutOrElse({ duration: SILENCE, orElse: () => Stream.fail(lost(`silent for ${SILENCE}`)) }),
    Stream.decodeText(),
    Stream.mapEffect((text) =>
      Effect.try({ try: () => parser.feed(text), catch: () => lost("an event was too long") })
    ),
    Stream.flatMap(() => Stream.fromIterable(cut.splice(0)))
  )
}

/**
 * The cursor, or the earliest cursor that can be read from if later events were already deleted. If the server is
 * unavailable, the cursor is kept and the caller waits.
 */
export const earliestAfter = (api: Api, sessionId: string, since: number): Effect.Effect<number, ApiFailed> =>
  api.get(`/v1/sessions/${encodeURIComponent(sessionId)}/events?since=${since}&limit=1`, Schema.Unknown).pipe(
    Effect.as(since),
    Effect.catchIf(
      (error) => error.earliest !== undefined || error.passing,
      ({ earliest = since }) => Effect.succeed(earliest)
    )
  )

/**
 * A session's log after a cursor, without end: each event once and in order, over as many connections as needed. The
 * server ends each connection within five minutes and says when to reconnect. After a failure the delay doubles each
 * time. Only a refusal ends the stream.
 */
export const follow = (api: Api, sessionId: string, since: number): Stream.Stream<Logged, ApiFailed> => {
  let cursor = since
  let wait = FIRST_WAIT
  let failures = 0

  const connection = Stream.suspend(() =>
    Stream.unwrap(
      Effect.map(api.open(`/v1/sessions/${encodeURIComponent(sessionId)}/events/stream?since=${cursor}`), (response) =>
        messages(response, (millis) => {
          wait = Duration.min(Duration.millis(millis), LONGEST_WAIT)
        })
      )
    )
  ).pipe(
    Stream.mapEffect(({ data }) =>
      decodeEvent(data).pipe(
        Effect.mapBoth({
          onSuccess: (event) => ({ event, json: data }),
          onFailure: () =>
            new ApiFailed({ problem: "the stream contains something that is not an event", code: null, passing: false })
        })
      )
    ),
    Stream.filter(({ event }) => event.cursor > cursor),
    Stream.tap(({ event }) =>
      Effect.sync(() => {
        cursor = event.cursor
        failures = 0
      })
    ),
    Stream.catchIf(
      (error: ApiFailed) => error.passing,
      (error) =>
        Stream.fromEffectDrain(
          Effect.sync(() => {
            if (failures === 0) note(`${error.message}; retrying from cursor ${cursor}`)
            failures += 1
          })
        )
    )
  )
  const pause = Effect.suspend(() => Effect.sleep(Duration.min(Duration.times(wait, 2 ** failures), LONGEST_WAIT)))
  return Stream.forever(Stream.concat(connection, Stream.fromEffectDrain(pause)))
}
