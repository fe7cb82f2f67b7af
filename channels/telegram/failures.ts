/** What an error of the Bot API means for the call (first by error_code, then by description). */
export type FailureKind =
  | "not_sent"
  | "ambiguous"
  | "rate_limited"
  | "auth"
  | "conflict"
  | "chat_blocked"
  | "chat_gone"
  | "chat_not_started"
  | "migrated"
  | "format"
  | "too_long"
  | "reply_gone"
  | "thread_gone"
  | "media"
  | "no_rights"
  | "noop"
  | "frozen"
  | "rejected"

/** The error instead of a result: Telegram's refusal, or a connection error. */
export interface Refusal {
  readonly status: number
  readonly description: string
  readonly retryAfterSeconds: number | null
  readonly migrateTo: number | null
}
/** `code` is the system's or undici's error code. Null: there was none, or the answer was not from the Bot API. */
export interface Unanswered {
  readonly code: string | null
}

/** Errors before the connection was established: nothing of the request was sent. */
const BEFORE_CONNECTION: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "UND_ERR_CONNECT_TIMEOUT"
])

/**
 * In order, and the first match counts. Status and description are only meaningful together: `retry after 401` is not a
 * 401.
 */
const REFUSALS: ReadonlyArray<readonly [status: number, description: RegExp, kind: FailureKind]> = [
  [401, /^/, "auth"],
  [404, /^Not Found$|invalid token specified/i, "auth"],
  [409, /^/, "conflict"],
  [429, /^/, "rate_limited"],
  [403, /bot was blocked by the user/i, "chat_blocked"],
  [403, /can't initiate conversation/i, "chat_not_started"],
  [403, /user is deactivated|bot was kicked|bot is not a member|group chat was deleted|PEER_ID_INVALID/i, "chat_gone"],
  [403, /not enough rights|CHAT_WRITE_FORBIDDEN|have no rights to send/i, "no_rights"],
  [403, /^/, "chat_gone"],
  [400, /chat not found|PEER_ID_INVALID|group chat was deleted|group chat was deactivated/i, "chat_gone"],
  [400, /can't parse entities|ENTITY_|entities? /i, "format"],
  [400, /message is too long|caption is too long|MESSAGE_TOO_LONG/i, "too_long"],
  [400, /message to be replied not found|message to reply not found|quote not found|QUOTE_TEXT_INVALID/i, "reply_gone"],
  [400, /message thread not found|TOPIC_CLOSED|TOPIC_DELETED|TOPIC_ID_INVALID/i, "thread_gone"],
  [
    400,
    new RegExp(
      "wrong file identifier|failed to get HTTP URL content|wrong type of the web page content|" +
        "VOICE_MESSAGES_FORBIDDEN|IMAGE_PROCESS_FAILED|PHOTO_INVALID",
      "i"
    ),
    "media"
  ],
  [400, /not enough rights|CHAT_WRITE_FORBIDDEN|have no rights to send/i, "no_rights"],
  [400, /message is not modified|message to delete not found/i, "noop"],
  [400, /FROZEN_METHOD_INVALID/i, "frozen"]
]

export const kindOf = ({ status, description, migrateTo }: Refusal): FailureKind => {
  if (status >= 500) return "ambiguous"
  if (migrateTo !== null && status === 400) return "migrated"
  return REFUSALS.find(([code, pattern]) => code === status && pattern.test(description))?.[2] ?? "rejected"
}

/** Whether Telegram may have accepted a request without an answer. */
export const kindOfSilence = ({ code }: Unanswered): FailureKind =>
  code !== null && BEFORE_CONNECTION.has(code) ? "not_sent" : "ambiguous"
