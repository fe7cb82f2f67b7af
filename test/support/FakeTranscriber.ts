import type { IncomingHttpHeaders, ServerResponse } from "node:http"
import { PROVIDER_SECRET } from "./providerSecret.ts"

/** The result of a transcription request. `after`: delays the answer until then. */
export type Hearing =
  | { readonly kind: "heard"; readonly text: string; readonly after?: Promise<void> }
  | { readonly kind: "status"; readonly status: number; readonly body?: unknown }
  | { readonly kind: "stall" }

export interface Listened {
  readonly authorization: string | null
  readonly model: string
  readonly fileName: string
  readonly mimeType: string
  readonly bytes: Buffer
  /** Resolves when the connection of this request is closed, answered or abandoned. */
  readonly closed: Promise<void>
}

/** The transcription endpoint of the fake model: `POST /v1/audio/transcriptions`. */
export class FakeEar {
  readonly listened: Array<Listened> = []
  readonly #script: Array<Hearing> = []

  script(...hearings: ReadonlyArray<Hearing>): void {
    this.#script.push(...hearings)
  }

  async answer(headers: IncomingHttpHeaders, body: Buffer, response: ServerResponse): Promise<void> {
    const closed = new Promise<void>((resolve) => response.once("close", resolve))
    const form = await new Response(Uint8Array.from(body), {
      headers: { "content-type": headers["content-type"] ?? "" }
    }).formData()
    const file = form.get("file")
    if (!(file instanceof File)) throw new Error("no file was handed in")
    this.listened.push({
      authorization: headers.authorization ?? null,
      model: String(form.get("model")),
      fileName: file.name,
      mimeType: file.type,
      bytes: Buffer.from(await file.arrayBuffer()),
      closed
    })
    const hearing = this.#script.shift() ?? { kind: "heard" as const, text: "Hello from the recording." }
    if (hearing.kind === "stall") return
    if (hearing.kind === "heard") await hearing.after
    const [status, answer] =
      hearing.kind === "heard"
        ? [200, { text: hearing.text }]
        : [hearing.status, hearing.body ?? { error: { message: PROVIDER_SECRET } }]
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer))
  }
}
