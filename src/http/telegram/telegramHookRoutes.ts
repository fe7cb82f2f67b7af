import * as Effect from "effect/Effect"
import type { FastifyReply } from "fastify"
import { createHash, timingSafeEqual } from "node:crypto"
import * as z from "zod"
import { HOOKS_PATH, MANAGER } from "#channels/telegram/hooksPath.ts"
import { lookAt } from "#channels/telegram/Update.ts"
import { isId } from "#pipeline/domain/Id.ts"
import type { DatabaseError } from "#src/db/postgres/Database.ts"
import { HookBindings } from "#src/db/telegram/HookBindings.ts"
import { ManagerUpdates } from "#src/db/telegram/ManagerUpdates.ts"
import { type Binding, Updates } from "#src/db/telegram/Updates.ts"
import { Manager } from "#src/jobs/telegram/Manager.ts"
import { INTERNAL } from "#src/http/server/reference/internalSurface.ts"
import type { Routes } from "#src/http/server/Server.ts"

/** The retry delay. Telegram keeps an update for a day. */
const AGAIN_SECONDS = 5

const SCHEMA = {
  operationId: "receiveTelegramUpdate",
  summary: "Receive an update from Telegram, with the secret of the webhook",
  ...INTERNAL,
  response: {
    default: {
      description:
        "Responses have no body. 200: the update is stored. 401: the " +
        "secret is wrong. 410: there is no such bot. 503: retry",
      content: { "text/plain": { schema: z.literal("") } }
    }
  }
}

const digest = (secret: string) => createHash("sha256").update(secret).digest()

interface Answer {
  readonly status: number
  readonly again?: number
}
/** After 23 hours of 410, Telegram drops the webhook. */
const gone: Answer = { status: 410 }
const later: Answer = { status: 503, again: AGAIN_SECONDS }
const foreign: Answer = { status: 401 }
const taken: Answer = { status: 200 }

const parse = (body: unknown): unknown => {
  try {
    return JSON.parse(String(body))
  } catch {
    return undefined
  }
}

/**
 * The webhook for Telegram updates. Answers 200 once an update is stored, and it is handled later. Answers 503 if it
 * cannot be stored now. Invalid updates also get 200, because otherwise they would be repeated for a day and block
 * their chat.
 */
export const telegramHookRoutes: Routes = ({ app, run }) => {
  const send = (reply: FastifyReply, { status, again }: Answer) => {
    if (again !== undefined) void reply.header("retry-after", String(again))
    return reply.code(status).send()
  }

  const stored = <R>(hearing: Effect.Effect<Answer, DatabaseError, R>) =>
    Effect.catchTag(hearing, "DatabaseError", (error) =>
      Effect.as(Effect.logWarning("Telegram update could not be stored", { reason: error.message }), later)
    )

  const hear = (secret: string, body: string) =>
    Effect.gen(function* (): Effect.gen.Return<Answer, DatabaseError, Manager | ManagerUpdates> {
      const manager = yield* Manager
      if (manager.secret === null) return gone
      if (!timingSafeEqual(digest(manager.secret), digest(secret))) return foreign
      const look = lookAt(parse(body))
      if (look !== undefined) yield* ManagerUpdates.use((updates) => updates.store(look.updateId, body))
      return taken
    }).pipe(stored)

  const keep = (
    { appId, channelId, joinWindowMs, status }: Binding,
    body: string
  ): Effect.Effect<Answer, DatabaseError, Updates> => {
    if (status === "detached") return Effect.succeed(gone)
    if (status === "pending" || status === "awaiting_creation") return Effect.succeed(later)
    const look = lookAt(parse(body))
    if (look === undefined) return Effect.succeed(taken)
    return Effect.map(
      Updates.use((updates) => updates.store({ ...look, appId, channelId, joinWindowMs, raw: body })),
      (isStored) => (isStored ? taken : later)
    )
  }

  // Few steps and no generator, because the updates of all bots pass here.
  const take = (botId: string, secret: string, body: string) =>
    HookBindings.use((bindings) => bindings.check(botId, secret)).pipe(
      Effect.flatMap((caller): Effect.Effect<Answer, DatabaseError, Updates> => {
        switch (caller._tag) {
          case "nobody":
            return Effect.succeed(gone)
          case "foreign":
            return Effect.as(Effect.logWarning("bot webhook called without its secret", { bot_id: botId }), foreign)
          case "telegram":
            return keep(caller.binding, body)
        }
      }),
      stored
    )

  app.register(async (hooks) => {
    // The body is parsed only after the request is authenticated.
    hooks.removeAllContentTypeParsers()
    // Registered by name as well, because Fastify looks up types that only match "*" again for each request.
    hooks.addContentTypeParser(["application/json", "*"], { parseAs: "string" }, (_, body, done) => done(null, body))

    hooks.post(
      `${HOOKS_PATH}/:bot_id`,
      { config: { auth: "none", machine: true, cost: { requests: 0 } }, schema: SCHEMA },
      async (request, reply) => {
        const { bot_id: botId = "" } = request.params as Record<string, string>
        const secret = request.headers["x-telegram-bot-api-secret-token"]
        if (botId === MANAGER)
          return send(reply, await run(reply, hear(typeof secret === "string" ? secret : "", String(request.body))))
        if (!isId("bot", botId)) return send(reply, gone)
        const answer = await run(reply, take(botId, typeof secret === "string" ? secret : "", String(request.body)))
        return send(reply, answer)
      }
    )
  })
}
