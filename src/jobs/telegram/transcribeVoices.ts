import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { BotApi } from "#channels/telegram/BotApi.ts"
import type { Media } from "#channels/telegram/content.ts"
import type { Message } from "#channels/telegram/Update.ts"
import { Transcriber } from "#channels/Transcriber.ts"
import { Expenses } from "#src/db/billing/Expenses.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import type { StoredBot } from "#src/db/telegram/bots/StoredBot.ts"

/** Longer or larger recordings are not transcribed. Bots can download files of up to 20 MB. */
const MAX_SECONDS = 600
const MAX_BYTES = 20 * 1_048_576

interface Voice {
  readonly messageId: number
  readonly fileId: string
  readonly seconds: number
  readonly mimeType: string
}

const toVoice = (
  messageId: number,
  { file_id: fileId, file_size: size = 0, duration = MAX_SECONDS + 1, mime_type: mimeType = "audio/ogg" }: Media
): ReadonlyArray<Voice> =>
  fileId === undefined || duration > MAX_SECONDS || size > MAX_BYTES
    ? []
    : [{ messageId, fileId, seconds: Math.max(1, duration), mimeType }]

/**
 * The transcripts of voice messages by message id, if a transcription model is configured. Messages that cannot be
 * downloaded, paid for or understood are left out. The character then only knows that there was a voice message, and
 * answers the person all the same.
 */
export const transcribeVoices = Effect.fnUntraced(function* (
  bot: StoredBot,
  sessionId: string,
  messages: ReadonlyArray<Message>
) {
  const { transcribe, costMicroUsd } = yield* Transcriber
  const voices = messages.flatMap(({ message_id, voice }) => (voice === undefined ? [] : toVoice(message_id, voice)))
  if (transcribe === null || voices.length === 0) return new Map<number, string>()
  const [api, expenses] = [yield* BotApi, yield* Expenses]
  const token = yield* Effect.orDie(BotRows.use((rows) => rows.token(bot)))
  if (token === undefined) return new Map<number, string>()

  const transcribeOne = Effect.fnUntraced(
    function* ({ messageId, fileId, seconds, mimeType }: Voice) {
      const bytes = yield* api.download(token, fileId, MAX_BYTES)
      const cost = costMicroUsd(seconds)
      const expense = yield* expenses.reserve({ appId: bot.app_id, sessionId }, "transcription", cost)
      if (expense === null) return Option.none()
      const paid = expenses.settle(expense, cost)
      const transcript = yield* transcribe({ bytes, fileName: "voice.ogg", mimeType }).pipe(
        Effect.onInterrupt(() => Effect.ignore(paid)),
        Effect.tapError(({ wasPaid }) => (wasPaid ? paid : expenses.settle(expense, 0))),
        Effect.tap(() => paid)
      )
      return transcript === "" ? Option.none() : Option.some([messageId, transcript] as const)
    },
    Effect.catchTags({
      BotApiError: (error) =>
        Effect.as(Effect.logWarning("voice message download failed", { reason: error.message }), Option.none()),
      TranscriptionFailed: ({ code }) =>
        Effect.as(Effect.logWarning("voice message transcription failed", { reason: code }), Option.none())
    })
  )
  const transcripts = yield* Effect.forEach(voices, transcribeOne, { concurrency: "unbounded" })
  return new Map(transcripts.flatMap(Option.toArray))
})
