import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { EventLog } from "#channels/event-log/EventLog.ts"
import { Deliveries, type Delivery } from "#src/db/delivery/Deliveries.ts"
import type { FoundSession } from "#src/db/operators/SessionSearch.ts"

/** Events on one page. */
export const PER_PAGE = 60
/** Deliveries to look at for their ticks: several channels may carry each event. */
const MAX_DELIVERIES = 200

const Events = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({
      id: Schema.String,
      cursor: Schema.Number,
      type: Schema.String,
      role: Schema.Literals(["user", "character", "system"]),
      trace_id: Schema.String,
      created_at: Schema.String,
      source_ref: Schema.Struct({ kind: Schema.String }),
      payload: Schema.Record(Schema.String, Schema.Unknown)
    })
  )
)
const decode = Schema.decodeUnknownEffect(Events)
export type ConversationEvent = (typeof Events)["Type"][number]

export interface Conversation {
  readonly events: ReadonlyArray<ConversationEvent>
  /** By the cursor of an event: what became of its deliveries. */
  readonly deliveries: ReadonlyMap<number, ReadonlyArray<Delivery>>
  /** Where the page of earlier events ends. Null: this is the first. */
  readonly earlier: number | null
}

/** The events of a session up to a cursor, with their deliveries. */
export const readConversation = Effect.fnUntraced(function* (
  { app_id: appId, session_id: sessionId, last_cursor }: FoundSession,
  upTo: number | null
) {
  const end = Math.min(last_cursor, upTo ?? last_cursor)
  const since = Math.max(0, end - PER_PAGE)
  const [chunk, deliveries] = yield* Effect.all(
    [
      EventLog.use((log) => log.read("json", { appId, sessionId, since }, end - since)),
      Deliveries.use((rows) => rows.list(appId, sessionId, { channelId: null, before: null, limit: MAX_DELIVERIES }))
    ],
    { concurrency: 2 }
  )
  const { text, keptAfter } = Option.getOrElse(chunk, () => ({ text: "", keptAfter: 0 }))
  return {
    events: yield* Effect.orDie(decode(`[${text}]`)),
    deliveries: Map.groupBy(deliveries, ({ event_cursor }) => event_cursor),
    earlier: since > keptAfter ? since : null
  } satisfies Conversation
})
