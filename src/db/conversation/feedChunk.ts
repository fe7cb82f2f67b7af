import type { FeedChunk, FeedEvent, FeedFrames, FeedLost, FeedRead } from "#channels/event-log/AppFeed.ts"
import { encodeFeedCursor, type FeedCursor, type FeedPlace, placeText } from "#channels/event-log/FeedCursor.ts"
import { eventText } from "./eventText.ts"
import { type FeedRow, scanOf } from "./feedStatements.ts"

/** From the oldest event that is kept. */
const OLDEST = "0"
/** In the place of the epoch, for a cursor that is stored in the same database as the events. */
export const STORED_HERE = ""

/** The feed as a statement saw it. */
interface FeedOrigin {
  readonly epoch: string
  readonly timeline: string
  readonly unused: number
  readonly trimmed: number
  readonly ended: number | null
  readonly moved: boolean
  readonly anchored: boolean
}

const TRUE = "t"
const readOrigin = (text: string): FeedOrigin => {
  const [epoch = "", timeline = "", unused, trimmed, ended, moved, anchored] = text.split(" ")
  return {
    epoch,
    timeline,
    unused: Number(unused),
    trimmed: Number(trimmed),
    ended: ended === "-" ? null : Number(ended),
    moved: moved === TRUE,
    anchored: anchored === TRUE
  }
}

/** A cursor is of no use if the history up to it is not that of this database. */
const restoredOf = (
  since: FeedCursor,
  { epoch, timeline, trimmed, ended, moved, unused, anchored }: FeedOrigin
): string | null => {
  if (moved) return null
  if (since.epoch !== epoch) {
    if (ended === null) return OLDEST
    const place = since.position < ended ? since : { position: ended, sessionId: "", cursor: 0 }
    return encodeFeedCursor({ ...place, epoch, timeline, trimmed })
  }
  // A standby that took over may lack the last transactions of its primary and give their numbers again. If the event
  // that the cursor names is here, so is all that came before it.
  const isShared = since.timeline === timeline ? since.position <= unused : anchored
  return isShared || since.position === 0 ? null : OLDEST
}

/** Whether events after the cursor may be missing. One that is stored in this database is of its history. */
const lossOf = (since: FeedCursor, row: FeedOrigin): FeedLost | null => {
  const restored = since.epoch === STORED_HERE ? null : restoredOf(since, row)
  if (restored !== null) return { _tag: "Lost", because: "restored", continueFrom: restored }
  const { timeline, trimmed } = row
  return trimmed > since.trimmed && trimmed > since.position
    ? { _tag: "Lost", because: "trimmed", continueFrom: encodeFeedCursor({ ...since, timeline, trimmed }) }
    : null
}

/** Up to which position events are trimmed. */
export const trimmedIn = ([first]: ReadonlyArray<FeedRow>): number =>
  first === undefined ? 0 : readOrigin(first.origin).trimmed

/** The answer to one read, whose rows are in the order of the feed. `take` gets each event that is shown. */
const readRows = (
  read: FeedRead,
  rows: ReadonlyArray<FeedRow>,
  take: (place: FeedPlace, type: string, json: string, origin: FeedOrigin) => void
) => {
  const [first] = rows
  if (first === undefined) throw new Error("there is no feed epoch")
  const origin = readOrigin(first.origin)
  const lost = read.since === null ? null : lossOf(read.since, origin)
  if (lost !== null) return lost
  const most = scanOf(read)
  const { epoch, timeline, trimmed } = origin
  let next: FeedCursor = { position: 0, sessionId: "", cursor: 0, ...read.since, epoch, timeline, trimmed }
  for (const [index, row] of rows.entries()) {
    if (row.event === null) break
    if (row.fits !== true || index >= most) return { _tag: "Page", next, hasMore: true } as const
    const parts = row.event.split(" ")
    const [position, sessionId = "", cursor, , type = ""] = parts
    next = { epoch, timeline, trimmed, position: Number(position), sessionId, cursor: Number(cursor) }
    if (row.payload !== null) take(next, type, eventText(parts, row.payload, row), origin)
  }
  return { _tag: "Page", next, hasMore: false } as const
}

/** The answer to one read, with each event. */
export const toFeedChunk = (read: FeedRead, rows: ReadonlyArray<FeedRow>): FeedChunk | FeedLost => {
  const events: Array<FeedEvent> = []
  const page = readRows(read, rows, (place, _, json) => events.push({ json, place }))
  return page._tag === "Lost" ? page : { ...page, _tag: "Chunk", events }
}

/** The answer to one read, as it is sent on a stream. */
export const toFeedFrames = (read: FeedRead, rows: ReadonlyArray<FeedRow>): FeedFrames | FeedLost => {
  let text = ""
  const page = readRows(read, rows, (place, type, json, { epoch, timeline, trimmed }) => {
    text += `id: ${epoch}.${timeline}.${placeText(place)}.${trimmed}\nevent: ${type}\ndata: ${json}\n\n`
  })
  return page._tag === "Lost" ? page : { ...page, _tag: "Frames", text }
}
