import * as Effect from "effect/Effect"
import * as z from "zod"
import { TelegramSuspensions } from "#src/db/telegram/TelegramSuspensions.ts"
import { success } from "#src/http/server/envelope.ts"
import { answers, written } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { ACTS, VIEWS } from "./access.ts"
import { Reason } from "./botActionRoutes.ts"
import { findAnyApp } from "./operatorAppRoutes.ts"
import { about } from "#src/http/server/about.ts"
import { anyAppNotFound } from "./operatorErrors.ts"

const Hold = z.object({
  kind: z
    .enum(["telegram", "delivery"])
    .describe("delivery: everything that is sent, after a restore, until troupe resume-deliveries"),
  app_id: z.string().nullable().describe("null: all apps"),
  since: z.iso.datetime(),
  reason: z.string().nullable()
})
const Holds = z.object({
  holds: z.array(Hold).describe("Of Telegram bots or of all deliveries. Suspended apps are in GET /admin/apps")
})
const Scope = z.object({
  app_id: z.string().min(1).max(64).nullable().meta({ description: "null: the bots of all apps" })
})

const shown = Effect.gen(function* () {
  const holds = yield* TelegramSuspensions.use(({ list }) => list)
  return success({
    holds: holds.map(({ kind, app_id, since, reason }) => ({ kind, app_id, since: since.toISOString(), reason }))
  })
})

/** The emergency stop of Telegram bots: of one app, or of all. */
export const holdRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/admin/holds",
    {
      config: { auth: VIEWS },
      schema: {
        operationId: "listHolds",
        summary: "List which apps' Telegram bots are on hold, and whether all deliveries are",
        response: answers(Holds)
      }
    },
    (request, reply) => answer(request, reply, shown)
  )

  app.post(
    "/admin/holds",
    {
      config: { auth: ACTS, writes: true },
      schema: {
        operationId: "putHold",
        summary: "Put the Telegram bots of an app, or of all apps, on hold: updates are kept, and nothing is sent",
        body: Reason.extend(Scope.shape),
        response: answers(Holds.extend(written), "app_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { app_id: appId, reason = null } = request.body
          if (appId !== null) yield* findAnyApp(appId).pipe(about("body.app_id"))
          yield* TelegramSuspensions.use(({ suspend }) => suspend(appId, reason)).pipe(
            Effect.catchTag("NoSuchApp", () => Effect.fail(anyAppNotFound.about("body.app_id")))
          )
          return yield* shown
        })
      )
  )

  app.post(
    "/admin/holds/release",
    {
      config: { auth: ACTS, writes: true },
      schema: {
        operationId: "releaseHold",
        summary: "Release a hold. Everything continues where it stopped",
        body: Scope,
        response: answers(Holds.extend(written), "app_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { app_id: appId } = request.body
          if (appId !== null) yield* findAnyApp(appId).pipe(about("body.app_id"))
          yield* TelegramSuspensions.use(({ resume }) => resume(appId)).pipe(
            Effect.catchTag("NoSuchApp", () => Effect.fail(anyAppNotFound.about("body.app_id")))
          )
          return yield* shown
        })
      )
  )
}
