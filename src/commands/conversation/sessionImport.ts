import { randomUUID } from "node:crypto"
import { readFile, stat } from "node:fs/promises"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type ChatMessage, readSillyTavernChat } from "#src/imports/sillyTavernChat.ts"
import { connect, type ServerFlags, Session } from "#src/commands/terminal/api.ts"
import { BadArgument } from "#src/commands/terminal/BadArgument.ts"
import { note, print } from "#src/commands/terminal/output.ts"
import { runClient } from "#src/commands/terminal/run.ts"

interface ImportFlags extends ServerFlags {
  readonly file: string
  readonly character: string
  readonly user: string
}

const MAX_BYTES = 100 * 1024 * 1024
/** The limits of `POST /v1/sessions/{id}/history`. */
const MAX_HISTORY = 10_000
const MAX_PER_CALL = 1_000
const MAX_CALL_CHARS = 200_000

const Appended = Schema.Struct({ total: Schema.Int })

const read = Effect.fnUntraced(function* (file: string) {
  const problem = (why: string) => new BadArgument({ problem: `${file}: ${why}` })
  const { size } = yield* Effect.tryPromise({ try: () => stat(file), catch: () => problem("cannot be read") })
  if (size > MAX_BYTES) return yield* problem("is larger than 100 MiB")
  const text = yield* Effect.tryPromise({ try: () => readFile(file, "utf8"), catch: () => problem("cannot be read") })
  const { messages, skipped } = readSillyTavernChat(text, yield* Clock.currentTimeMillis)
  if (messages.length === 0) return yield* problem("has no messages of a SillyTavern chat")
  return { messages, skipped }
})

/** Parts that the server accepts in one call. */
const partsOf = (messages: ReadonlyArray<ChatMessage>): ReadonlyArray<ReadonlyArray<ChatMessage>> => {
  const parts: Array<Array<ChatMessage>> = []
  let chars = Infinity
  for (const message of messages) {
    const part = parts.at(-1)
    if (part === undefined || part.length === MAX_PER_CALL || chars + message.text.length > MAX_CALL_CHARS) {
      parts.push([message])
      chars = message.text.length
    } else {
      part.push(message)
      chars += message.text.length
    }
  }
  return parts
}

/** `troupe session import FILE --character SLUG --user REF` */
export const importSession = (flags: ImportFlags) =>
  runClient(
    Effect.gen(function* () {
      const { messages, skipped } = yield* read(flags.file)
      const api = yield* connect(flags)
      const { id } = yield* api.post(
        "/v1/sessions",
        { character_slug: flags.character, external_user_ref: flags.user, new_thread: true },
        Session
      )
      const kept = messages.slice(-MAX_HISTORY)
      let total = 0
      for (const part of partsOf(kept)) {
        const appended = yield* api.post(
          `/v1/sessions/${encodeURIComponent(id)}/history`,
          { messages: part },
          Appended,
          { "Idempotency-Key": randomUUID() }
        )
        total = appended.total
      }
      if (kept.length < messages.length)
        note(`A session takes ${MAX_HISTORY} messages: the oldest ${messages.length - kept.length} are left out.`)
      print(JSON.stringify({ session_id: id, messages: total, skipped, left_out: messages.length - kept.length }))
    })
  )
