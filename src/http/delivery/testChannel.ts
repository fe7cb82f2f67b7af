import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Attempt, ChannelKinds, type Delivery, INTENDED, OUTCOME_NAME } from "#channels/Channel.ts"
import { newId } from "#pipeline/domain/Id.ts"
import type { StoredChannel } from "#src/db/delivery/channels/StoredChannel.ts"

const TYPE = "channel.test"
/** Of a kind that shows nothing of such an event. */
const nothingToSend = Attempt.cases.Rejected.make({ statusCode: null, answer: null, errorCode: "nothing_to_send" })

/**
 * Pushes a test event that is on no log (cursor 0) through a channel, regardless of its status, and returns the result.
 * It moves no lane and is not counted.
 */
export const testChannel = Effect.fnUntraced(function* (
  appId: string,
  { channel_id, session_id, kind, version }: StoredChannel
) {
  const channel = (yield* ChannelKinds).get(kind)
  if (channel === undefined) return yield* Effect.die(new Error(`no channels of kind ${kind} here`))
  const startedAt = yield* Clock.currentTimeMillis
  const eventId = newId("evt")
  const delivery: Delivery = {
    appId,
    sessionId: session_id ?? "",
    channelId: channel_id,
    channelVersion: version,
    cursor: 0,
    eventId,
    type: TYPE,
    event: JSON.stringify({
      id: eventId,
      schema_version: "1",
      cursor: 0,
      session_id,
      type: TYPE,
      event_type: TYPE,
      role: "system",
      trace_id: newId("run"),
      created_at: new Date(startedAt).toISOString(),
      payload: {},
      source_ref: { kind: "system" }
    })
  }
  const contents = yield* channel.open(delivery)
  const attempt =
    contents.length === 0
      ? nothingToSend
      : yield* Effect.orDie(channel.deliver({ ...delivery, part: 0, unknowns: 0, content: contents[0] }, INTENDED))
  return {
    outcome: OUTCOME_NAME[attempt._tag],
    status_code: attempt.statusCode,
    error_code: attempt._tag === "Sent" ? null : attempt.errorCode,
    latency_ms: (yield* Clock.currentTimeMillis) - startedAt,
    answer: attempt.answer
  }
})
