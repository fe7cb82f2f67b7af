import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { ChatMessage } from "#pipeline/chat.ts"
import { GEN_AI } from "#pipeline/telemetry/genAi.ts"
import { CaptureContent, describeSpan, Tracing } from "#pipeline/telemetry/trace.ts"
import type { DecodedAnswer } from "./decodeAnswer.ts"

const MAX_CHARACTERS = 16_000

const readUsage = Schema.decodeUnknownOption(
  Schema.Struct({ prompt_tokens: Schema.Natural, completion_tokens: Schema.Natural })
)

/** Adds what a call has used to its span, and with OTEL_CAPTURE_CONTENT the prompt and the answer. */
export const describeAnswer = (
  messages: ReadonlyArray<ChatMessage>,
  { usage, text, finish }: DecodedAnswer
): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (!(yield* Tracing)) return
    const captured = yield* CaptureContent
    const reported = Option.getOrUndefined(readUsage(usage))
    yield* describeSpan({
      ...(reported !== undefined && {
        [GEN_AI.inputTokens]: reported.prompt_tokens,
        [GEN_AI.outputTokens]: reported.completion_tokens
      }),
      ...(finish !== null && { [GEN_AI.finish]: [finish] }),
      ...(captured && {
        [GEN_AI.inputMessages]: JSON.stringify(messages).slice(0, MAX_CHARACTERS),
        [GEN_AI.outputMessages]: text.slice(0, MAX_CHARACTERS)
      })
    })
  })
