/** A place in the feed of an app: after the event of this position, session and cursor. */
export interface FeedPlace {
  readonly position: number
  readonly sessionId: string
  readonly cursor: number
}

/** What a client stores to continue where it was. */
export interface FeedCursor extends FeedPlace {
  /** The database in which the position was given, and the history of that database. */
  readonly epoch: string
  readonly timeline: string
  /** Everything that retention had deleted when this was given is known to be gone. */
  readonly trimmed: number
}

const FORM = /^([0-9a-z]{1,12})\.([0-9a-f]{1,8})\.(\d{1,15})\.([0-9A-Za-z_-]{1,64})\.(\d{1,15})\.(\d{1,15})$/
/** In the place of a session: before all sessions of its position. */
const NO_SESSION = "-"

const shown = (sessionId: string) => (sessionId === "" ? NO_SESSION : sessionId)

/** A place as text. The session's id has no dots. */
export const placeText = ({ position, sessionId, cursor }: FeedPlace): string =>
  `${position}.${shown(sessionId)}.${cursor}`

/** The place that such a text names. */
export const placeOf = (text: string): FeedPlace => {
  const [position, session = "", cursor] = text.split(".")
  return { position: Number(position), sessionId: session === NO_SESSION ? "" : session, cursor: Number(cursor) }
}

/** The cursor as clients get it. They must not look into it. */
export const encodeFeedCursor = (cursor: FeedCursor): string =>
  `${cursor.epoch}.${cursor.timeline}.${placeText(cursor)}.${cursor.trimmed}`

/** Undefined: text that is no cursor of a feed. */
export const decodeFeedCursor = (text: string): FeedCursor | undefined => {
  const [, epoch, timeline, position, session, cursor, trimmed] = FORM.exec(text) ?? []
  if (epoch === undefined || timeline === undefined || session === undefined) return undefined
  return {
    epoch,
    timeline,
    position: Number(position),
    sessionId: session === NO_SESSION ? "" : session,
    cursor: Number(cursor),
    trimmed: Number(trimmed)
  }
}
