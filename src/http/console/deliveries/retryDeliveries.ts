import * as Effect from "effect/Effect"
import { type FailedDelivery, DeliveryAttempts } from "#src/db/operators/DeliveryAttempts.ts"
import { Audit } from "#src/db/operators/Audit.ts"
import { Deliveries } from "#src/db/delivery/Deliveries.ts"
import { findAttempt } from "#src/http/operators/operatorDeliveryRoutes.ts"
import { anyDeliveryNotFound } from "#src/http/operators/operatorErrors.ts"
import { retryLimitReached } from "#src/http/delivery/deliveryErrors.ts"
import { html } from "#src/http/server/page.ts"
import { type Console, done } from "../console.ts"
import { counted } from "../figures.ts"
import { post } from "../form.ts"
import { attemptFilterOf, attemptFilterText, DELIVERIES_PATH } from "./attemptQuery.ts"

/** Deliveries of one retry. More are retried by doing it again. */
const MOST = 500

/** Each retry is recorded with the outcome before it. */
const retry = ({ app_id: appId, session_id, channel_id: channelId, cursor, event_id, outcome }: FailedDelivery) =>
  Audit.use((audit) =>
    audit.changing(
      Deliveries.use((deliveries) => deliveries.retry(appId, session_id, { channelId, cursor })),
      () => ({
        action: "delivery.retried",
        appId,
        subject: event_id,
        detail: { before: { channel_id: channelId, outcome } }
      })
    )
  )

const found = (all: ReadonlyArray<FailedDelivery>) =>
  `${counted(Math.min(all.length, MOST), "delivery", "deliveries")} of ${counted(
    new Set(all.map(({ app_id }) => app_id)).size,
    "app"
  )}`

/** Tries one delivery again, or all that match a filter. */
export const retryDeliveries = ({ screen, action }: Console): void => {
  const failed = (filter: string, nowMs: number) =>
    DeliveryAttempts.use((attempts) => attempts.failed(attemptFilterOf(new URLSearchParams(filter), nowMs), MOST + 1))

  screen(
    {
      path: `${DELIVERIES_PATH}/retry`,
      role: "operator",
      operationId: "confirmRetry",
      summary: "Say how many deliveries a retry repeats"
    },
    ({ csrf, nowMs, query }) =>
      Effect.gen(function* () {
        const filter = attemptFilterText(query)
        const all = yield* failed(filter, nowMs)
        const back = `${DELIVERIES_PATH}?${filter}`
        return {
          section: DELIVERIES_PATH,
          above: { url: back, name: "Deliveries" },
          title: "Retry all that match?",
          body: html`<section class="card">
            <p>
              ${found(all)} are tried again now. A receiver that took one of them without saying so gets it twice.
              ${all.length > MOST ? ` There are more: the newest ${MOST} are tried first.` : ""}
            </p>
            <div class="row">
              ${
                all.length === 0
                  ? null
                  : post({
                      action: `${DELIVERIES_PATH}/retry`,
                      csrf,
                      label: "Retry them",
                      tone: "first",
                      fields: { filter }
                    })
              }
              <a class="button" href="${back}">Leave them</a>
            </div>
          </section>`
        }
      })
  )

  action(
    {
      path: `${DELIVERIES_PATH}/retry`,
      operationId: "retryDeliveriesInConsole",
      summary: "Retry deliveries that match"
    },
    ({ nowMs }, form) =>
      Effect.gen(function* () {
        const filter = attemptFilterText(new URLSearchParams(form.get("filter") ?? ""))
        const all = (yield* failed(filter, nowMs)).slice(0, MOST)
        const results = yield* Effect.forEach(
          all,
          (delivery) =>
            retry(delivery).pipe(
              Effect.map((retried) => retried !== undefined),
              Effect.catchTag("RetryLimitReached", () => Effect.succeed(false))
            ),
          { concurrency: 4 }
        )
        const begun = results.filter((isBegun) => isBegun).length
        return done(
          `${DELIVERIES_PATH}?${filter}`,
          begun === results.length
            ? `${counted(begun, "delivery is", "deliveries are")} tried again now.`
            : `${begun} of ${results.length} deliveries are tried again now. The others wait already, or are gone.`,
          begun === results.length ? "good" : "warn"
        )
      }),
    () => DELIVERIES_PATH
  )

  action(
    {
      path: `${DELIVERIES_PATH}/:attempt_id/retry`,
      operationId: "retryDeliveryInConsole",
      summary: "Retry a delivery"
    },
    ({ params }) =>
      Effect.gen(function* () {
        const row = yield* findAttempt(params["attempt_id"] ?? "")
        const retried = yield* retry({ ...row, session_id: row.session_id ?? row.app_id }).pipe(
          Effect.catchTag("RetryLimitReached", () => Effect.fail(retryLimitReached))
        )
        if (retried === undefined) return yield* anyDeliveryNotFound
        return done(`${DELIVERIES_PATH}/${params["attempt_id"]}`, "The delivery is tried again now.")
      }),
    ({ params }) => `${DELIVERIES_PATH}/${params["attempt_id"]}`
  )
}
