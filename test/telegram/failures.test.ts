import { assert, describe, it } from "vitest"
import { type FailureKind, kindOf, kindOfSilence, type Refusal } from "#channels/telegram/failures.ts"

const refusal = (status: number, description: string, more: Partial<Refusal> = {}): Refusal => ({
  status,
  description,
  retryAfterSeconds: null,
  migrateTo: null,
  ...more
})

const CASES: ReadonlyArray<readonly [Refusal, FailureKind]> = [
  [refusal(401, "Unauthorized"), "auth"],
  [refusal(401, "Unauthorized: invalid token specified"), "auth"],
  [refusal(404, "Not Found"), "auth"],
  [refusal(404, "Not Found: method not found"), "rejected"],
  [refusal(409, "Conflict: terminated by other getUpdates request"), "conflict"],
  [refusal(429, "Too Many Requests: retry after 401", { retryAfterSeconds: 401 }), "rate_limited"],
  [refusal(403, "Forbidden: bot was blocked by the user"), "chat_blocked"],
  [refusal(403, "Forbidden: user is deactivated"), "chat_gone"],
  [refusal(403, "Forbidden: bot was kicked from the supergroup chat"), "chat_gone"],
  [refusal(403, "Forbidden: bot is not a member of the channel chat"), "chat_gone"],
  [refusal(403, "Forbidden: the group chat was deleted"), "chat_gone"],
  [refusal(403, "Forbidden: bot can't initiate conversation with a user"), "chat_not_started"],
  [refusal(400, "Bad Request: chat not found"), "chat_gone"],
  [refusal(400, "Bad Request: PEER_ID_INVALID"), "chat_gone"],
  [refusal(400, "Bad Request: private chat not found"), "chat_gone"],
  [refusal(400, "Bad Request: group chat was upgraded to a supergroup chat", { migrateTo: -100123 }), "migrated"],
  [refusal(400, "Bad Request: can't parse entities: Can't find end of the entity starting at byte offset 4"), "format"],
  [refusal(400, "Bad Request: message is too long"), "too_long"],
  [refusal(400, "Bad Request: message caption is too long"), "too_long"],
  [refusal(400, "Bad Request: message to be replied not found"), "reply_gone"],
  [refusal(400, "Bad Request: quote not found"), "reply_gone"],
  [refusal(400, "Bad Request: message thread not found"), "thread_gone"],
  [refusal(400, "Bad Request: TOPIC_CLOSED"), "thread_gone"],
  [refusal(400, "Bad Request: TOPIC_DELETED"), "thread_gone"],
  [refusal(400, "Bad Request: wrong file identifier/HTTP URL specified"), "media"],
  [refusal(400, "Bad Request: failed to get HTTP URL content"), "media"],
  [refusal(400, "Bad Request: VOICE_MESSAGES_FORBIDDEN"), "media"],
  [refusal(400, "Bad Request: not enough rights to send text messages to the chat"), "no_rights"],
  [refusal(400, "Bad Request: have no rights to send a message"), "no_rights"],
  [refusal(400, "Bad Request: CHAT_WRITE_FORBIDDEN"), "no_rights"],
  [refusal(400, "Bad Request: message is not modified"), "noop"],
  [refusal(400, "Bad Request: message to delete not found"), "noop"],
  [refusal(400, "Bad Request: FROZEN_METHOD_INVALID"), "frozen"],
  [refusal(400, "Bad Request: something new"), "rejected"],
  [refusal(500, "Internal Server Error: restart"), "ambiguous"],
  [refusal(502, "Bad Gateway"), "ambiguous"]
]

describe("an answer of the Bot API", () => {
  it.each(CASES)("is classified by its code first and its description second: %o", (answer, kind) => {
    assert.strictEqual(kindOf(answer), kind)
  })
})

describe("a missing answer", () => {
  it.each(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ENETUNREACH", "EHOSTUNREACH", "UND_ERR_CONNECT_TIMEOUT"])(
    "means that nothing was sent if there was no connection: %s",
    (code) => {
      assert.strictEqual(kindOfSilence({ code }), "not_sent")
    }
  )
  it.each(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "UND_ERR_HEADERS_TIMEOUT", null])(
    "leaves the outcome unknown otherwise: %s",
    (code) => {
      assert.strictEqual(kindOfSilence({ code }), "ambiguous")
    }
  )
})
