import * as Effect from "effect/Effect"
import type { FastifyReply, FastifyRequest } from "fastify"
import { Readable } from "node:stream"
import type { ReadableStream } from "node:stream/web"
import * as z from "zod"
import { KeyWatch } from "#src/accounts/KeyWatch.ts"
import { readerOf } from "#src/http/server/limits/Cost.ts"
import { OpenReads } from "#src/http/server/limits/OpenReads.ts"
import { answersAs } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { drainedOf } from "./drainedOf.ts"
import { injectedApi } from "./injectedApi.ts"
import { isAllowedOrigin } from "./isAllowedOrigin.ts"
import { originNotAllowed } from "./mcpErrors.ts"

/** A stream lasts no longer than those of the API (contract 4.6). */
const MAX_STREAM_MS = 5 * 60_000
/** An event stream ends earlier by itself, so that it can say so. The random part spreads reconnections. */
const streamLifetimeMs = () => MAX_STREAM_MS - 5000 - Math.random() * 20_000
/** Time for a stream to say that its key was revoked. Its reads fail at once. */
const LAST_WORDS_MS = 1000

const requestOf = ({ headers, method }: FastifyRequest, baseUrl: string, signal: AbortSignal): Request => {
  const given = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" && name !== "authorization" && name !== "content-length" ? [[name, value]] : []
  )
  return new Request(`${baseUrl}/mcp`, { method, headers: given as Array<[string, string]>, signal })
}

/** The Model Context Protocol over HTTP: each request is answered on its own, by the API under the caller's key. */
export const mcpRoutes: Routes = ({ app, baseUrl, run, stopping }) => {
  const sendStream = async (request: FastifyRequest, reply: FastifyReply, response: Response, leave: () => void) => {
    const closed = await run(
      reply,
      Effect.gen(function* () {
        const leaveCount = yield* OpenReads.use((reads) => reads.open(readerOf(request)))
        const { watch } = yield* KeyWatch
        let lastWords: NodeJS.Timeout | undefined
        const unwatch = watch(request.principal.prefix, () => {
          lastWords = setTimeout(leave, LAST_WORDS_MS)
        })
        return () => {
          unwatch()
          clearTimeout(lastWords)
          leaveCount()
        }
      })
    ).catch((refused: unknown) => {
      leave()
      throw refused
    })
    const timer = setTimeout(leave, MAX_STREAM_MS)
    void run(reply, Effect.andThen(stopping, Effect.sync(leave))).catch(() => {})
    reply.raw.once("close", () => {
      clearTimeout(timer)
      closed()
      leave()
    })
    return reply.send(Readable.fromWeb(response.body as ReadableStream))
  }

  app.post(
    "/mcp",
    {
      config: { demo: true, cost: { reads: 1 } },
      schema: {
        operationId: "callMcp",
        summary: "The Model Context Protocol: tools, resources, a prompt and events for agents",
        tags: ["MCP"],
        querystring: z.object({
          write: z.enum(["0", "1"]).default("0").describe("1: also offer the tools that change something")
        }),
        response: answersAs("application/json", z.looseObject({}).describe("A JSON-RPC message"), "origin_not_allowed")
      }
    },
    async (request, reply) => {
      if (!isAllowedOrigin(request.headers.origin, baseUrl())) throw originNotAllowed
      // Loaded at the first use, because it would slow every start.
      const { answerMcp } = await import("./answerMcp.ts")
      const leaving = new AbortController()
      const leave = () => leaving.abort()
      reply.raw.once("close", leave)
      const response = await answerMcp(requestOf(request, baseUrl(), leaving.signal), {
        api: injectedApi(app, request),
        allowWrites: request.query.write === "1",
        stream: { most: 1, lifetimeMs: streamLifetimeMs(), drained: drainedOf(reply.raw) },
        body: request.body
      })
      void reply.code(response.status)
      for (const [name, value] of response.headers) if (name !== "content-length") void reply.header(name, value)
      void reply.header("cache-control", "no-store")
      if (response.headers.get("content-type")?.startsWith("text/event-stream") === true)
        return sendStream(request, reply, response, leave)
      return reply.send(await response.text())
    }
  )
}
