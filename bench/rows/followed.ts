import type { Row } from "../Row.ts"
import type { BenchHarness } from "../support/BenchHarness.ts"
import { measureBesides } from "../support/besides.ts"
import type { Served } from "../support/processes.ts"

/** A stream of the feed from now on. */
const stream = async ({ baseUrl }: Served, headers: Record<string, string>, signal: AbortSignal) => {
  const { status, body } = await fetch(`${baseUrl}/v1/events/stream?since=now`, { headers, signal })
  if (status !== 200 || body === null) throw new Error(`the stream was answered with ${status}`)
  void body.pipeTo(new WritableStream()).catch(() => {})
}

/** A process of a named consumer: it pulls, and acknowledges with the next pull. */
const consume = async ({ baseUrl }: Served, headers: Record<string, string>, signal: AbortSignal) => {
  const url = `${baseUrl}/v1/consumers/bench`
  const call = async (method: string, path: string, body: object) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal
    })
    if (!answer.ok) throw new Error(`${method} ${url}${path} was answered with ${answer.status}`)
    return (await answer.json()) as { readonly data: { readonly ack: string | null } }
  }
  await call("PUT", "", { from: "now" })
  const pull = async () => {
    for (let ack: string | null = null; !signal.aborted;) {
      const { data } = await call("POST", "/pull", { limit: 500, wait: 10, ...(ack !== null && { ack }) })
      ack = data.ack
    }
  }
  void pull().catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

const follow = async ({ key }: BenchHarness, server: Served): Promise<() => void> => {
  const leave = new AbortController()
  const headers = { authorization: `Bearer ${key}` }
  await stream(server, headers, leave.signal)
  await consume(server, headers, leave.signal)
  return () => leave.abort()
}

/** What it costs accept that somebody follows the feed of the app, by a stream and as a consumer. */
export const followed: Row = {
  name: "followed",
  run: (rounds) =>
    measureBesides({ name: "followed", what: "a stream of the feed and a consumer of it", open: follow }, rounds)
}
