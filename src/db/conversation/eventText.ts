/** What the text of an event says about its source. */
export interface EventSource {
  readonly source_id: string | null
  readonly external_user_ref: string | null
  readonly character_slug: string | null
}

let lastSeconds = ""
let lastMoment = ""
/** Seconds with up to six decimals as an ISO time. Events of one transaction have the same. */
const moment = (seconds: string): string => {
  if (seconds === lastSeconds) return lastMoment
  // Exact to the microsecond, which is then cut like in `to_char`.
  const ms = Math.floor(Math.round(Number(seconds) * 1_000_000) / 1000)
  lastSeconds = seconds
  lastMoment = new Date(ms).toISOString()
  return lastMoment
}

/**
 * The event as `event_json` writes it, from its columns: position, session, cursor, id, type, role, trace, kind of
 * source, and the time in seconds.
 */
export const eventText = (
  [, session, cursor, id, type, role, trace, kind, seconds = ""]: ReadonlyArray<string>,
  payload: string,
  { source_id, external_user_ref, character_slug }: EventSource
): string => {
  const source = source_id === null ? "" : `,"id":${JSON.stringify(source_id)}`
  const thread =
    character_slug === null
      ? ""
      : `,"external_user_ref":${JSON.stringify(external_user_ref)},"character_slug":${JSON.stringify(character_slug)}`
  return (
    `{"id":"${id}","schema_version":"1","cursor":${cursor},"session_id":"${session}","type":"${type}",` +
    `"event_type":"${type}","role":"${role}","trace_id":"${trace}","created_at":"${moment(seconds)}",` +
    `"payload":${payload},"source_ref":{"kind":"${kind}"${source}${thread}}}`
  )
}
