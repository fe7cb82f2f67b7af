import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { toFile } from "openai"
import { TranscriptionFailed, type Recording, Transcriber } from "#channels/Transcriber.ts"
import { measureCall, reportCall } from "../modelMetrics.ts"
import { Prices } from "../prices.ts"
import { badResponse, mayBePaid, timedOut, toCallFailed } from "./failure.ts"
import { makeClient } from "./makeClient.ts"

export interface OpenAiTranscriberOptions {
  readonly apiKey: Redacted.Redacted<string>
  readonly baseUrl: string | null
  readonly model: string
  readonly deadline: Duration.Input
}

/** Maximum length of one transcript. */
const MAX_CHARACTERS = 8_000
const MAX_ANSWER_BYTES = 1_000_000

const decode = Schema.decodeUnknownEffect(Schema.Struct({ text: Schema.String }))

/**
 * A transcription model behind an OpenAI-compatible API. It tries once, because the person is waiting for an answer.
 */
export const layer = (options: OpenAiTranscriberOptions) =>
  Layer.effect(
    Transcriber,
    Effect.gen(function* () {
      const prices = yield* Prices
      const client = makeClient(options, MAX_ANSWER_BYTES)
      const ask = ({ bytes, fileName, mimeType }: Recording) =>
        Effect.tryPromise({
          try: async (signal): Promise<unknown> =>
            client.audio.transcriptions.create(
              {
                file: await toFile(bytes, fileName, { type: mimeType }),
                model: options.model,
                response_format: "json"
              },
              { signal }
            ),
          catch: (thrown) => thrown
        })
      return Transcriber.of({
        model: options.model,
        costMicroUsd: (seconds) => prices.transcriptionMicroUsd(options.model, seconds),
        transcribe: Effect.fn("OpenAi.listen")((recording: Recording) =>
          ask(recording).pipe(
            Effect.catch((thrown) =>
              Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fail(toCallFailed(thrown, now)))
            ),
            Effect.timeoutOrElse({ duration: options.deadline, orElse: () => Effect.fail(timedOut()) }),
            measureCall("transcription"),
            reportCall(options.model),
            Effect.mapError(({ code }) => new TranscriptionFailed({ code, wasPaid: mayBePaid(code) })),
            Effect.flatMap((answer) =>
              Effect.mapError(
                decode(answer),
                () => new TranscriptionFailed({ code: badResponse().code, wasPaid: true })
              )
            ),
            Effect.map(({ text }) => text.trim().slice(0, MAX_CHARACTERS))
          )
        )
      })
    })
  )
