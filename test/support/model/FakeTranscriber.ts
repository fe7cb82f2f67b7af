import type { IncomingHttpHeaders, ServerResponse } from "node:http"
import { PROVIDER_SECRET } from "./providerSecret.ts"

/** The result of a transcription request. `after`: delays the answer until then. */
export type TranscriptionBehaviour =
  | { readonly kind: "heard"; readonly text: string; readonly after?: Promise<void> }
  | { readonly kind: "status"; readonly status: number; readonly body?: unknown }
  | { readonly kind: "stall" }
  /** Begins an answer, and closes the connection in the middle. */
  | { readonly kind: "cut" }

export interface TranscriptionRequest {
  readonly authorization: string | null
  readonly model: string
  readonly fileName: string
  readonly mimeType: string
  readonly bytes: Buffer
  /** Resolves when the connection of this request is closed, answered or abandoned. */
  readonly closed: Promise<void>
}

/** The transcription endpoint of the fake model: `POST /v1/audio/transcriptions`. */
export class FakeTranscriber {
  readonly requests: Array<TranscriptionRequest> = []
  readonly #script: Array<TranscriptionBehaviour> = []

  script(...behaviours: ReadonlyArray<TranscriptionBehaviour>): void {
    this.#script.push(...behaviours)
  }

  async answer(headers: IncomingHttpHeaders, body: Buffer, response: ServerResponse): Promise<void> {
    const closed = new Promise<void>((resolve) => response.once("close", resolve))
    const form = await new Response(Uint8Array.from(body), {
      headers: { "content-type": headers["content-type"] ?? "" }
    }).formData()
    const file = form.get("file")
    if (!(file instanceof File)) throw new Error("no file was handed in")
    this.requests.push({
      authorization: headers.authorization ?? null,
      model: String(form.get("model")),
      fileName: file.name,
      mimeType: file.type,
      bytes: Buffer.from(await file.arrayBuffer()),
      closed
    })
    const behaviour = this.#script.shift() ?? { kind: "heard" as const, text: "Hello from the recording." }
    if (behaviour.kind === "stall") return
    if (behaviour.kind === "cut") {
      response.writeHead(200, { "content-type": "application/json" })
      return void response.write('{"text":', () => response.destroy())
    }
    if (behaviour.kind === "heard") await behaviour.after
    const [status, answer] =
      behaviour.kind === "heard"
        ? [200, { text: behaviour.text }]
        : [behaviour.status, behaviour.body ?? { error: { message: PROVIDER_SECRET } }]
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer))
  }
}
