import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { GEN_AI } from "#pipeline/telemetry/genAi.ts"
import { CaptureContent, describeSpan, Tracing } from "#pipeline/telemetry/trace.ts"
import type { ChatMessage } from "#pipeline/chat.ts"

const MAX_CHARACTERS = 16_000

const readUsage = Schema.decodeUnknownOption(
  Schema.Struct({
    usage: Schema.Struct({ prompt_tokens: Schema.Natural, completion_tokens: Schema.Natural })
  })
)
const readContent = Schema.decodeUnknownOption(
  Schema.Struct({
    choices: Schema.NonEmptyArray(Schema.Struct({ message: Schema.Struct({ content: Schema.NullOr(Schema.String) }) }))
  })
)

/** Adds what a call has used to its span, and with OTEL_CAPTURE_CONTENT the prompt and the answer. */
export const describeAnswer = (messages: ReadonlyArray<ChatMessage>, answer: unknown): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (!(yield* Tracing)) return
    const captured = yield* CaptureContent
    const usage = readUsage(answer)
    const content = captured ? readContent(answer) : undefined
    yield* describeSpan({
      ...(usage._tag === "Some" && {
        [GEN_AI.inputTokens]: usage.value.usage.prompt_tokens,
        [GEN_AI.outputTokens]: usage.value.usage.completion_tokens
      }),
      ...(captured && { [GEN_AI.inputMessages]: JSON.stringify(messages).slice(0, MAX_CHARACTERS) }),
      ...(content?._tag === "Some" && {
        [GEN_AI.outputMessages]: (content.value.choices[0].message.content ?? "").slice(0, MAX_CHARACTERS)
      })
    })
  })
