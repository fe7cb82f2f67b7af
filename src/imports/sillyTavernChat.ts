import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { fillWords } from "#pipeline/domain/macros.ts"

/** A message of a chat file. */
export interface ChatMessage {
  readonly role: "user" | "character"
  readonly text: string
  /** ISO 8601. */
  readonly at: string
}

export interface ChatFile {
  readonly messages: ReadonlyArray<ChatMessage>
  /** Lines that hold no message: hidden ones, empty ones, and ones that are not JSON. */
  readonly skipped: number
}

const Line = Schema.fromJsonString(
  Schema.Struct({
    mes: Schema.optionalKey(Schema.String),
    name: Schema.optionalKey(Schema.String),
    is_user: Schema.optionalKey(Schema.Boolean),
    is_system: Schema.optionalKey(Schema.Boolean),
    send_date: Schema.optionalKey(Schema.Union([Schema.String, Schema.Number])),
    user_name: Schema.optionalKey(Schema.String),
    character_name: Schema.optionalKey(Schema.String)
  })
)
const decode = Schema.decodeUnknownOption(Line)

const MAX_TEXT_CHARS = 32_000
const STEP_MS = 1_000
/** "2023-6-5 @16h 12m 30s 123ms" */
const HUMANIZED = /^(\d{4})-(\d{1,2})-(\d{1,2}) ?@ ?(\d{1,2})h ?(\d{1,2})m ?(\d{1,2})s/
/** "June 5, 2023 4:12pm" */
const TWELVE_HOURS = /^([A-Za-z]{3,9} \d{1,2}, \d{4}) (\d{1,2}):(\d{2}) ?([ap]m)$/i

/** When a message was sent, in milliseconds. NaN if it is not known. Times without a zone are UTC. */
const timeOf = (sent: string | number | undefined): number => {
  if (typeof sent === "number") return sent
  const text = sent?.trim() ?? ""
  if (/^\d{12,14}$/.test(text)) return Number(text)
  const [, year, month, day, hour, minute, second] = HUMANIZED.exec(text) ?? []
  if (year !== undefined)
    return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second))
  const [, date, hours, minutes, half] = TWELVE_HOURS.exec(text) ?? []
  if (date !== undefined)
    return Date.parse(`${date} ${(Number(hours) % 12) + (half?.toLowerCase() === "pm" ? 12 : 0)}:${minutes} UTC`)
  return Date.parse(text)
}

/**
 * The messages of a chat that SillyTavern has saved (JSONL), in order. Times that are missing or run backwards are
 * replaced, so that they follow each other. `now`: no message is later than this, in milliseconds.
 */
export const readSillyTavernChat = (file: string, now: number): ChatFile => {
  const lines = file
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
  const rows = lines.map((line) => (line.trimStart().startsWith("{") ? Option.getOrNull(decode(line)) : null))
  const head = rows[0]
  // A name that the file does not have stays a placeholder.
  const names = { character: head?.character_name || "{{char}}", user: head?.user_name ?? null }
  const filled = (text: string): string => fillWords(text, names, "{{user}}")
  const messages: Array<ChatMessage> = []
  let skipped = 0
  let last = Number.NEGATIVE_INFINITY
  for (const [index, row] of rows.entries()) {
    if (index === 0 && row !== null && row.mes === undefined) continue
    const text = filled(row?.mes ?? "")
      .slice(0, MAX_TEXT_CHARS)
      .toWellFormed()
    if (row === null || row.is_system === true || !/[\p{L}\p{N}\p{P}\p{S}]/u.test(text)) {
      skipped += 1
      continue
    }
    const sent = timeOf(row.send_date)
    const known = Number.isFinite(sent) && sent >= 0 ? Math.min(sent, now) : last + STEP_MS
    last = Number.isFinite(known) ? Math.min(now, Math.max(last, known)) : now - rows.length * STEP_MS
    messages.push({ role: row.is_user === true ? "user" : "character", text, at: new Date(last).toISOString() })
  }
  return { messages, skipped }
}
