import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Writer } from "#pipeline/generation/Writer.ts"
import { layer, type OpenAiEngineOptions } from "#src/model/openai/OpenAiEngine.ts"
import { requestOf } from "#test/support/conversation/requests.ts"
import { type Asked, type Canned, startCannedServer } from "./cannedServer.ts"

/** A server that answers so, and a writer in front of it that lives as long as the test. */
export const writerOn = Effect.fnUntraced(function* (
  answer: (asked: Asked, index: number) => Canned | null,
  options: Partial<OpenAiEngineOptions> = {}
) {
  const server = yield* Effect.acquireRelease(
    Effect.promise(() => startCannedServer(answer)),
    ({ close }) => Effect.promise(close)
  )
  const context = yield* Layer.build(
    layer({
      apiKey: Redacted.make("sk-test-key"),
      baseUrl: server.url,
      model: "some-model",
      analyzeModel: null,
      callTimeout: "20 seconds",
      backoff: "1 millis",
      ...options
    })
  )
  const { write } = yield* Effect.provide(Writer, context)
  /** The reply, with the notes for the trace. */
  const ask = (...[text, given]: Parameters<typeof requestOf>) =>
    Effect.suspend(() => {
      const notes: Array<string> = []
      const request = { ...given?.request, onNote: (note: string) => void notes.push(note) }
      return Effect.map(write(requestOf(text, { ...given, request })), ({ reply }) => ({ reply, notes }))
    })
  return {
    server,
    ask,
    /** A turn with something to decide, so that JSON is requested. */
    write: ask("hello", { request: { decisions: ["reply", "withhold"] } }),
    writePlain: ask("hello")
  }
})
