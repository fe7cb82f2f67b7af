import * as Effect from "effect/Effect"
import { type FailedDelivery, DeliveryAttempts } from "#src/db/operators/DeliveryAttempts.ts"
import { Audit } from "#src/db/operators/Audit.ts"
import type { AttemptFilter } from "#src/db/operators/attemptFilter.ts"
import { FleetBatches, MAX_BATCH } from "#src/db/operators/FleetBatches.ts"
import { Deliveries } from "#src/db/delivery/Deliveries.ts"
import { findAttempt } from "#src/http/operators/operatorDeliveryRoutes.ts"
import { anyDeliveryNotFound, selectionTooLarge } from "#src/http/operators/operatorErrors.ts"
import { retryLimitReached } from "#src/http/delivery/deliveryErrors.ts"
import { html } from "#src/http/server/page.ts"
import { type Console, done } from "../console.ts"
import { BATCHES_PATH } from "../batches/batchScreen.ts"
import { count, counted } from "../figures.ts"
import { input, select } from "../form.ts"
import { choice } from "../url.ts"
import { attemptFilterOf, attemptFilterText, DELIVERIES_PATH } from "./attemptQuery.ts"

const RATES = ["60", "300", "1500", "6000"] as const
const MAX_REASON = 200
const CHANGED = "The filter now selects a different number. Nothing was done. Check the number and confirm again."

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
  `${counted(all.length, "delivery", "deliveries")} of ${counted(new Set(all.map(({ app_id }) => app_id)).size, "app")}`

/** Tries one delivery again, or all that match a filter. */
export const retryDeliveries = ({ screen, action }: Console): void => {
  const failed = Effect.fnUntraced(function* (filter: AttemptFilter) {
    const all = yield* DeliveryAttempts.use((attempts) => attempts.failed(filter, MAX_BATCH + 1))
    return all.length > MAX_BATCH ? yield* selectionTooLarge(MAX_BATCH) : all
  })

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
        const all = yield* failed(attemptFilterOf(query, nowMs))
        const back = `${DELIVERIES_PATH}?${filter}`
        return {
          section: DELIVERIES_PATH,
          above: { url: back, name: "Deliveries" },
          title: "Retry all that match?",
          body: html`<section class="card">
            <p>
              ${found(all)} are tried again, one after the other. If a receiver accepted one of them but its response
              was lost, it gets that one twice.
            </p>
            <form class="stack" method="post" action="${DELIVERIES_PATH}/retry">
              ${csrf}
              <input type="hidden" name="filter" value="${filter}" />
              <input type="hidden" name="deliveries" value="${all.length}" />
              ${select({
                name: "per_minute",
                label: "How fast",
                value: RATES[0],
                options: RATES.map((value) => ({ value, label: `${count(Number(value))} a minute` }))
              })}
              ${input({ name: "reason", label: "Reason", maxlength: MAX_REASON, hint: "Kept in the audit log" })}
              <div class="row">
                <button class="first" type="submit" ${all.length === 0 ? html`disabled` : null}>
                  Retry ${counted(all.length, "delivery", "deliveries")}
                </button>
                <a class="button" href="${back}">Leave them</a>
              </div>
            </form>
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
        const asked = new URLSearchParams(form.get("filter") ?? "")
        const filter = attemptFilterOf(asked, nowMs)
        const deliveries = yield* failed(filter)
        if (String(deliveries.length) !== form.get("deliveries"))
          return done(`${DELIVERIES_PATH}/retry?${attemptFilterText(asked)}`, CHANGED, "warn")
        const reason = (form.get("reason") ?? "").trim().slice(0, MAX_REASON)
        const { batch_id } = yield* FleetBatches.use((batches) =>
          batches.startDeliveries({
            deliveries,
            filter,
            perMinute: Number(choice(form, "per_minute", RATES) ?? RATES[0]),
            reason: reason === "" ? null : reason
          })
        )
        return done(
          `${BATCHES_PATH}/${batch_id}`,
          `Started for ${counted(deliveries.length, "delivery", "deliveries")}.`
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
