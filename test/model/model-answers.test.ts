import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { isModelFailure } from "#pipeline/ModelFailure.ts"
import { writerOn } from "#test/support/model/writers.ts"

const FOLDER = join(import.meta.dirname, "answers")

const decodeSample = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      about: Schema.String,
      source: Schema.String,
      asked: Schema.Literals(["json", "plain"]),
      status: Schema.Int,
      headers: Schema.Record(Schema.String, Schema.String),
      body: Schema.Unknown,
      /** `text`, perhaps with `finish`; or `reason`, perhaps with what is done `then`. */
      outcome: Schema.Record(Schema.String, Schema.String)
    })
  )
)

const samples = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".json"))
  .map((name) => [name, decodeSample(readFileSync(join(FOLDER, name), "utf8"))] as const)

/** Blank lines between bubbles of plain text are the only thing that a reply does not keep. */
const joined = (text: string) => text.replace(/\n{2,}/g, "\n")

describe("an answer as servers send it", () => {
  it.live.each(samples)("%s", ([, { about, asked, status, headers, body, outcome }]) =>
    Effect.gen(function* () {
      // A short pause is left out, and a long one is not waited for.
      const isLong = Number(headers["retry-after"] ?? 0) > 10
      const canned = { status, headers: { ...headers, ...(!isLong && { "retry-after": "0" }) }, body }
      const { server, write, writePlain } = yield* writerOn(() => canned)
      const written = yield* Effect.result(asked === "json" ? write : writePlain)
      const calls = server.requests.length
      const { text, finish, reason, then: next } = outcome
      if (text !== undefined) {
        assert.isTrue(Result.isSuccess(written), `${about} ${JSON.stringify(written)}`)
        if (Result.isFailure(written)) return
        assert.strictEqual(joined(written.success.reply.bubbles.join("\n")), joined(text), about)
        assert.strictEqual(
          written.success.notes.some((note) => note.includes("OPENAI_MAX_TOKENS")),
          finish === "length",
          about
        )
        return
      }
      assert.isTrue(isModelFailure(reason), about)
      assert.isTrue(Result.isFailure(written), `${about} ${JSON.stringify(written)}`)
      if (Result.isSuccess(written)) return
      assert.strictEqual(written.failure.failure, reason, about)
      if (next === "give_up") assert.strictEqual(calls, 1, about)
      if (next === "retry") assert.isAtLeast(calls, 2, about)
      // What a server says may hold a key or a person's words.
      assert.notMatch(JSON.stringify(written.failure), /sk-|https?:\/\//, about)
    }).pipe(Effect.scoped)
  )
})
