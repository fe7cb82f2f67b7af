import { request } from "node:http"
import { text } from "node:stream/consumers"
import { workerData } from "piscina"
import type { Posts } from "./startSender.ts"

const { url, key, bodies, method = "POST" } = workerData as Posts

const post = (body: Uint8Array) =>
  new Promise<number>((resolve, reject) => {
    const asked = request(
      url,
      { method, headers: { authorization: `Bearer ${key}`, "content-type": "application/json" } },
      (answer) => void text(answer).then(() => resolve(answer.statusCode ?? 0), reject)
    )
    asked.on("error", reject).end(body)
  })

export const start = (): void => {}
export const send = (): Promise<ReadonlyArray<number>> => Promise.all(bodies.map(post))
