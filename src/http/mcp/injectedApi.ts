import type { FastifyRequest } from "fastify"
import type { App } from "#src/http/server/Server.ts"
import { type Api, type ApiAnswer, urlOf } from "./Api.ts"

/**
 * The API for the caller of a request: each call is a request of its own under the same key, from the same address. So
 * it is authenticated, counted, validated and isolated like every other.
 */
export const injectedApi =
  (app: App, { headers, ip }: FastifyRequest): Api =>
  async <A>(request: Parameters<Api>[0]): Promise<ApiAnswer<A>> => {
    const { method, body, idempotencyKey, signal } = request
    const answer = await app.inject({
      method,
      url: urlOf(request),
      remoteAddress: ip,
      headers: {
        authorization: headers.authorization ?? "",
        "user-agent": headers["user-agent"] ?? "mcp",
        ...(headers.traceparent !== undefined && { traceparent: headers.traceparent }),
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey })
      },
      ...(body !== undefined && { payload: body }),
      ...(signal !== undefined && { signal })
    })
    const { data, detail } = answer.json<{ data: A; detail: unknown }>()
    return answer.statusCode < 300 ? { ok: true, data } : { ok: false, status: answer.statusCode, detail }
  }
