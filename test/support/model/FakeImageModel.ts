import type { IncomingHttpHeaders, ServerResponse } from "node:http"
import * as Schema from "effect/Schema"
import { pictureOf } from "#test/support/files/images.ts"
import { PROVIDER_SECRET } from "./providerSecret.ts"

/** The result of a picture request. `after`: delays the answer until then. */
export type ImageBehaviour =
  | { readonly kind: "painted"; readonly bytes?: Buffer; readonly after?: Promise<void> }
  | { readonly kind: "refused"; readonly code: string }
  | { readonly kind: "status"; readonly status: number }
  | { readonly kind: "answer"; readonly body: unknown }
  | { readonly kind: "stall" }

export interface ImageRequest {
  readonly authorization: string | null
  readonly model: string
  readonly prompt: string
  readonly size: string
  /** The response format that the client requests. Null: none. */
  readonly format: string | null
  readonly seed: number | null
  /** Types of the reference pictures in the request. */
  readonly references: ReadonlyArray<string>
}

const decode = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      model: Schema.String,
      prompt: Schema.String,
      n: Schema.Int,
      size: Schema.String,
      response_format: Schema.optionalKey(Schema.String),
      quality: Schema.optionalKey(Schema.String),
      seed: Schema.optionalKey(Schema.Int)
    })
  )
)

/** A picture request: JSON, or a form with reference pictures. */
const read = async (headers: IncomingHttpHeaders, body: Buffer) => {
  const type = headers["content-type"] ?? ""
  if (!type.startsWith("multipart/form-data")) return { ...decode(body.toString("utf8")), references: [] }
  const form = await new Response(body, { headers: { "content-type": type } }).formData()
  const fields = Object.fromEntries(
    [...form].flatMap(([name, value]) =>
      typeof value === "string" ? [[name, name === "n" ? Number(value) : value]] : []
    )
  )
  const references = [...form].flatMap(([, value]) => (typeof value === "string" ? [] : [value.type]))
  return { ...decode(JSON.stringify(fields)), references }
}

/** The image endpoints of the fake model: `POST /v1/images/generations` and `/v1/images/edits`. */
export class FakeImageModel {
  readonly requests: Array<ImageRequest> = []
  readonly #script: Array<ImageBehaviour> = []

  script(...behaviours: ReadonlyArray<ImageBehaviour>): void {
    this.#script.push(...behaviours)
  }

  async answer(headers: IncomingHttpHeaders, body: Buffer, response: ServerResponse): Promise<void> {
    const { model, prompt, size, response_format: format = null, seed = null, references } = await read(headers, body)
    this.requests.push({ authorization: headers.authorization ?? null, model, prompt, size, format, seed, references })
    const behaviour = this.#script.shift() ?? { kind: "painted" as const }
    const send = (status: number, answer: unknown) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer))
    }
    switch (behaviour.kind) {
      case "stall":
        return
      case "status":
        return send(behaviour.status, { error: { message: PROVIDER_SECRET } })
      case "refused":
        return send(400, {
          error: { code: behaviour.code, message: `Not this. ${PROVIDER_SECRET}`, type: "invalid_request_error" }
        })
      case "answer":
        return send(200, behaviour.body)
      case "painted":
        await behaviour.after
        return send(200, {
          created: 0,
          data: [{ b64_json: (behaviour.bytes ?? (await pictureOf("png", 64, 64))).toString("base64") }]
        })
    }
  }
}
