import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import OpenAI from "openai"
import type { OpenAiOptions } from "./call.ts"
import { toCallFailed } from "./failure.ts"

/** Asks the model for a word, once. Fails with a code such as `http_401`. Costs a few tokens. */
export const probeModel = ({ apiKey, baseUrl, model, callTimeout }: OpenAiOptions) =>
  Effect.tryPromise({
    try: (signal) =>
      new OpenAI({
        apiKey: Redacted.value(apiKey),
        baseURL: baseUrl ?? null,
        maxRetries: 0,
        timeout: Duration.toMillis(callTimeout)
      }).chat.completions.create({ model, messages: [{ role: "user", content: "Say OK." }] }, { signal }),
    catch: (cause) => toCallFailed(cause, 0)
  }).pipe(Effect.asVoid)
