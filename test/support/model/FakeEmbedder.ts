import { createHash } from "node:crypto"
import type { ServerResponse } from "node:http"
import * as Schema from "effect/Schema"
import { terms } from "#pipeline/retrieval/terms.ts"
import { PROVIDER_SECRET } from "./providerSecret.ts"

/** The result of an embedding request. `good`: embeddings in reverse order, as the API allows, and after this. */
export type EmbeddingBehaviour =
  | { readonly kind: "good"; readonly after?: Promise<unknown> }
  | { readonly kind: "status"; readonly status: number }
  | { readonly kind: "stall" }
  /** Without the embedding of the last text. */
  | { readonly kind: "incomplete" }
  | { readonly kind: "answer"; readonly body: unknown }
  /** Refuses longer texts with this status. */
  | { readonly kind: "limit"; readonly chars: number; readonly status: number }

const DIMENSIONS = 256

/** Words that mean the same here. */
const MEANINGS: ReadonlyMap<string, string> = new Map(
  [
    ["trombone", "instrument"],
    ["flat", "tune"],
    ["thimbles", "trinkets"],
    ["collects", "hoards"]
  ].map(([word = "", meaning = ""]) => [word, meaning] as const)
)
const CARRY_NOTHING = new Set("my the a an on of is in was who which what out please about".split(" "))

/** Each word points in a direction of its own, and words with the same meaning in the same. */
const embeddingOf = (text: string): ReadonlyArray<number> => {
  const vector = Array.from({ length: DIMENSIONS }, () => 0.001)
  for (const word of terms(text)) {
    if (CARRY_NOTHING.has(word)) continue
    const place =
      createHash("sha256")
        .update(MEANINGS.get(word) ?? word)
        .digest()[0] ?? 0
    vector[place] = (vector[place] ?? 0) + 1
  }
  return vector
}

const decodeBody = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      model: Schema.String,
      input: Schema.Array(Schema.NonEmptyString),
      encoding_format: Schema.Literal("float"),
      dimensions: Schema.optionalKey(Schema.Int)
    })
  )
)

/** The embedding endpoint of the fake model: `POST /v1/embeddings`. Each word is a token. */
export class FakeEmbedder {
  readonly requests: Array<ReturnType<typeof decodeBody>> = []
  /** How requests are answered from now on. */
  behaviour: EmbeddingBehaviour = { kind: "good" }

  answer(body: Buffer, response: ServerResponse): void {
    const request = decodeBody(body.toString("utf8"))
    this.requests.push(request)
    const { behaviour } = this
    if (behaviour.kind === "stall") return
    const data = request.input.map((text, index) => ({ object: "embedding", index, embedding: embeddingOf(text) }))
    const tokens = request.input.reduce((sum, text) => sum + terms(text).length, 0)
    const send = (status: number, answer: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer))
    if (behaviour.kind === "limit" && request.input.some(({ length }) => length > behaviour.chars))
      send(behaviour.status, { error: { message: PROVIDER_SECRET } })
    else if (behaviour.kind === "status") send(behaviour.status, { error: { message: PROVIDER_SECRET } })
    else if (behaviour.kind === "answer") send(200, behaviour.body)
    else {
      const answer = {
        object: "list",
        model: request.model,
        data: behaviour.kind === "incomplete" ? data.slice(0, -1) : data.toReversed(),
        usage: { prompt_tokens: tokens, total_tokens: tokens }
      }
      const after = behaviour.kind === "good" ? behaviour.after : undefined
      if (after === undefined) send(200, answer)
      else void after.then(() => send(200, answer))
    }
  }
}
