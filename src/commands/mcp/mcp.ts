import { serveStdio } from "@modelcontextprotocol/server/stdio"
import * as Effect from "effect/Effect"
import { type Api, type ApiAnswer, urlOf } from "#src/http/mcp/Api.ts"
import { makeMcpServer } from "#src/http/mcp/makeMcpServer.ts"
import { type ServerFlags, serverOf } from "#src/commands/terminal/api.ts"
import { note } from "#src/commands/terminal/output.ts"
import { runClient } from "#src/commands/terminal/run.ts"

/** Longer than any request waits. */
const TIMEOUT_MS = 60_000

/** Streams last until the client ends them. The transport itself waits for a client that reads slowly. */
const STREAM = { most: 20, lifetimeMs: Infinity, drained: () => Promise.resolve() }

const UNREACHABLE = { ok: false, status: 503, detail: "The Troupe server cannot be reached right now." } as const

/** The API of a server elsewhere, under a key. */
const fetchedApi =
  ({ baseUrl, key }: { readonly baseUrl: string; readonly key: string }): Api =>
  async <A>(request: Parameters<Api>[0]): Promise<ApiAnswer<A>> => {
    const { method, body, idempotencyKey, signal } = request
    const timeout = AbortSignal.timeout(TIMEOUT_MS)
    try {
      // A redirect would turn a POST into a GET, and send the key to another address.
      const answer = await fetch(baseUrl + urlOf(request), {
        method,
        redirect: "manual",
        headers: {
          authorization: `Bearer ${key}`,
          ...(body !== undefined && { "content-type": "application/json" }),
          ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey })
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout])
      })
      const { data, detail } = (await answer.json()) as { data: A; detail: unknown }
      return answer.ok ? { ok: true, data } : { ok: false, status: answer.status, detail }
    } catch {
      return UNREACHABLE
    }
  }

/** Serves the app of a key to an MCP client until the client closes stdin. Stdout belongs to the protocol. */
export const serveMcp = ({ allowWrites, ...flags }: ServerFlags & { readonly allowWrites: boolean }): void =>
  runClient(
    Effect.gen(function* () {
      const api = fetchedApi(yield* serverOf(flags))
      yield* Effect.callback<void>((resume) => {
        process.stdin.once("close", () => resume(Effect.void))
        const handle = serveStdio(() => makeMcpServer(api, { allowWrites, stream: STREAM }), {
          onerror: ({ message }) => note(message)
        })
        return Effect.promise(() => handle.close())
      })
    })
  )
