import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { type TranscriptionFailed, Transcriber } from "#channels/Transcriber.ts"
import { layer } from "#src/model/openai/OpenAiTranscriber.ts"
import { LIST_PRICES } from "#src/model/prices.ts"
import type { TranscriptionBehaviour } from "#test/support/model/FakeTranscriber.ts"
import { start } from "#test/support/model/FakeModel.ts"
import { PROVIDER_SECRET } from "#test/support/model/providerSecret.ts"
import { until } from "#test/support/until.ts"

const KEY = "sk-test-key"
const RECORDING = { bytes: Buffer.from("OggS and so on"), fileName: "voice.ogg", mimeType: "audio/ogg" }

const DEADLINE = "20 seconds"
const harness = Effect.fnUntraced(function* (script: ReadonlyArray<TranscriptionBehaviour>) {
  const fake = yield* Effect.acquireRelease(
    Effect.promise(() => start()),
    (fake) => Effect.promise(() => fake.close())
  )
  fake.transcriber.script(...script)
  const { transcribe } = yield* Effect.provide(
    Transcriber,
    layer({ apiKey: Redacted.make(KEY), baseUrl: fake.url, model: "gpt-4o-mini-transcribe", deadline: DEADLINE })
  )
  return { fake, listen: transcribe === null ? Effect.die(new Error("nobody listens")) : transcribe(RECORDING) }
})
const failing = (listen: Effect.Effect<string, TranscriptionFailed>) =>
  Effect.map(Effect.flip(listen), ({ code, wasPaid }) => ({ code, wasPaid }))

describe("a voice recording", () => {
  it.live("is uploaded with its name and type, and its text is returned", () =>
    Effect.gen(function* () {
      const { fake, listen } = yield* harness([{ kind: "heard", text: " Is there soup? \n" }])
      assert.strictEqual(yield* listen, "Is there soup?")
      const [{ closed: _, ...given } = assert.fail("nothing was handed in")] = fake.transcriber.requests
      assert.deepStrictEqual(given, { ...RECORDING, authorization: `Bearer ${KEY}`, model: "gpt-4o-mini-transcribe" })
    })
  )

  it.live("is no longer than a message may be, whatever the model returns", () =>
    Effect.gen(function* () {
      const { listen } = yield* harness([{ kind: "heard", text: "na ".repeat(100_000) }])
      assert.strictEqual((yield* listen).length, 8_000)
    })
  )

  it.live.each([
    ["a refusal", { kind: "status", status: 400 }, { code: "http_400", wasPaid: false }],
    ["an error of the server", { kind: "status", status: 500 }, { code: "http_500", wasPaid: false }],
    [
      "an answer of another form",
      { kind: "status", status: 200, body: { words: [] } },
      { code: "bad_response", wasPaid: true }
    ],
    ["an answer that breaks off", { kind: "cut" }, { code: "cut_off", wasPaid: true }]
  ] as const)(
    "cannot be transcribed after %s, which is requested once and not quoted in the error",
    ([, hearing, failure]) =>
      Effect.gen(function* () {
        const { fake, listen } = yield* harness([hearing, hearing])
        const error = yield* Effect.flip(listen)
        assert.deepStrictEqual({ code: error.code, wasPaid: error.wasPaid }, failure)
        assert.notInclude(JSON.stringify(error) + String(error) + String(error.stack), PROVIDER_SECRET)
        assert.notInclude(JSON.stringify(error) + String(error) + String(error.stack), KEY)
        assert.lengthOf(fake.transcriber.requests, 1)
      })
  )

  it.effect("is given up at its deadline, with the connection closed; it may have been charged", () =>
    Effect.gen(function* () {
      const { fake, listen } = yield* harness([{ kind: "stall" }])
      const failed = yield* Effect.forkChild(failing(listen))
      yield* Effect.promise(() => until("the recording", () => fake.transcriber.requests.length > 0))
      yield* TestClock.adjust(DEADLINE)
      assert.deepStrictEqual(yield* Fiber.join(failed), { code: "timeout", wasPaid: true })
      yield* Effect.promise(
        () => fake.transcriber.requests[0]?.closed ?? Promise.reject(new Error("nothing was handed in"))
      )
    })
  )

  it("costs by the minute, rounded up", () => {
    assert.deepStrictEqual(
      [
        LIST_PRICES.transcriptionMicroUsd("whisper-1", 60),
        LIST_PRICES.transcriptionMicroUsd("gpt-4o-mini-transcribe", 7),
        LIST_PRICES.transcriptionMicroUsd("something-new", 60)
      ],
      [6000, 350, 6000]
    )
  })
})
