import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** Begins a read when there is room in memory for it. `bytes`: the most that it may return, about. */
export type Room = <A, E, R>(bytes: number, read: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** The room for what this fiber reads. Default: each read begins at once. */
export const ReadRoom = Context.Reference<Room>("channels/event-log/ReadRoom", {
  defaultValue: () => (_, read) => read
})
