import * as Effect from "effect/Effect"
import { Writer } from "#pipeline/generation/Writer.ts"
import { AppHealth, type HealthRow } from "#src/db/operators/AppHealth.ts"
import { Health } from "#src/db/operators/Health.ts"
import { forApp } from "#src/health/forApp.ts"
import type { Problem } from "#src/health/Problem.ts"
import { statusOf } from "#src/health/statusOf.ts"
import { isPlaceholder, ImageModel } from "#src/model/ImageModel.ts"
import { Storage } from "#src/storage/Storage.ts"
import { engineKind } from "#src/model/engineNames.ts"
import { success } from "#src/http/server/envelope.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import { AppHealthData } from "./appHealthSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"

const MANY_ERRORS = 0.5

const rate = (part: number, whole: number) => (whole === 0 ? null : part / whole)

/** Besides its problems, an app is degraded by any failure of its latest replies, and while its bots are on hold. */
const withFailures = (problems: ReadonlyArray<Problem>, { went_wrong, written, hold }: HealthRow) => {
  const status = statusOf(problems)
  return status === "ok" && ((rate(went_wrong, written) ?? 0) >= MANY_ERRORS || hold !== null) ? "degraded" : status
}

export const appHealthRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/v1/health",
    {
      config: { demo: true },
      schema: {
        operationId: "getAppHealth",
        summary: "Get the health of the app: queues, failures and workers",
        tags: ["Observability"],
        response: answers(AppHealthData)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const row = yield* AppHealth.use((health) => health.of(appId))
          const { problems } = yield* Health.use((health) => health.ofApp(appId))
          const { engine, model } = yield* Writer
          const imageModel = yield* ImageModel
          const { kind: storage } = yield* Storage
          return success({
            status: withFailures(problems, row),
            components: {
              database: { status: "ok" },
              queue: { ready: row.waiting, oldest_age_seconds: row.oldest_age_seconds ?? 0, failed: row.failed },
              llm: {
                engine: engineKind(engine),
                model,
                last_ok_at: row.last_ok_at?.toISOString() ?? null,
                error_rate_5m: rate(row.went_wrong, row.written)
              },
              images: {
                engine: isPlaceholder(imageModel) ? "offline" : "live",
                model: imageModel.model,
                storage,
                open: row.images_open,
                failed: row.images_failed,
                last_ok_at: row.image_ok_at?.toISOString() ?? null
              },
              delivery: {
                backlog: row.backlog,
                failing_channels: row.failing_channels,
                telegram_hold:
                  row.hold === null ? null : { since: new Date(row.hold.since).toISOString(), reason: row.hold.reason }
              },
              watchdog: { last_run_at: row.heartbeat_at?.toISOString() ?? null, rescued_1h: row.rescued }
            },
            problems: forApp(problems)
          })
        })
      )
  )
}
