import * as Effect from "effect/Effect"
import { DeliveryAttempts } from "#src/db/operators/DeliveryAttempts.ts"
import { attemptIdOf, findAttempt, readAttemptId, toAttemptDetail } from "#src/http/operators/operatorDeliveryRoutes.ts"
import { namesOf } from "#src/http/operators/problemNames.ts"
import { nextCursor, placeCursorKey } from "#src/http/server/listing.ts"
import { type Html, html, prose } from "#src/http/server/page.ts"
import { withApp } from "../appFilter.ts"
import type { Console } from "../console.ts"
import { bytes, duration, when } from "../figures.ts"
import { post } from "../form.ts"
import { pages } from "../pages.ts"
import { totalAbove } from "../total.ts"
import { anyAttempt, attemptFilterOf, attemptFilters, attemptFilterText, DELIVERIES_PATH } from "./attemptQuery.ts"
import { appName, attemptsTable, subjectOf, throughName } from "./attemptsTable.ts"
import { outcomeTag } from "./outcomes.ts"

const PER_PAGE = 50
/** Of one delivery, the latest. */
const SHOWN_ATTEMPTS = 50

/** In place of a response that is closed to this operator: how to open it. */
const hidden = (sessionId: string | null, attemptId: string, owns: boolean): Html => {
  const how =
    sessionId === null
      ? null
      : owns
        ? html`<a href="/console/conversations/${sessionId}?attempt=${attemptId}#break-glass">Open the conversation</a>
            to read it.`
        : "Only an owner can open it, by giving a reason."
  return html`<p class="soft">The response is hidden, because it may repeat what was said. ${how}</p>`
}

/** Deliveries of all apps; and one attempt, with what was sent, what came back, and the other attempts. */
export const deliveriesScreen = ({ screen }: Console): void => {
  screen({ path: DELIVERIES_PATH, operationId: "showDeliveries", summary: "The screen of deliveries" }, (visit) =>
    Effect.gen(function* () {
      const { nowMs } = visit
      const { query, note } = yield* withApp(visit)
      const asked = attemptFilterOf(query, nowMs)
      const key = yield* placeCursorKey(query.get("cursor") ?? undefined, (text) => readAttemptId(text) !== null)
      const { rows, next } = yield* DeliveryAttempts.use((attempts) =>
        attempts.search(asked, {
          after: key === null ? null : readAttemptId(key),
          limit: PER_PAGE,
          by: "delivery"
        })
      )
      const filter = attemptFilterText(query)
      return {
        section: DELIVERIES_PATH,
        title: "Deliveries",
        actions: html`<a class="button" href="/console/webhooks">Webhooks</a>${
          visit.acts && rows.some(({ delivered }) => !delivered)
            ? html`<a class="button" href="${DELIVERIES_PATH}/retry?${filter}">Retry all that match…</a>`
            : null
        }`,
        lead: html`${attemptFilters(visit.query)}${note}${yield* totalAbove(
          visit,
          DeliveryAttempts.use((attempts) => attempts.count(asked)),
          ["delivery", "deliveries"]
        )}`,
        live: html`<section class="card flush">
            ${attemptsTable({
              rows,
              by: "delivery",
              nowMs,
              empty:
                filter === ""
                  ? html`<p>No delivery has failed.</p>
                      <a class="button" href="${DELIVERIES_PATH}?state=any">Show those that arrived</a>`
                  : html`<p>No delivery matches these filters.</p>
                      <a class="button" href="${DELIVERIES_PATH}">Clear the filters</a>`,
              names: yield* namesOf(rows.map(subjectOf))
            })}
            ${pages(visit, nextCursor(next === null ? null : attemptIdOf(next)))}
          </section>`
      }
    })
  )

  screen(
    { path: `${DELIVERIES_PATH}/:attempt_id`, operationId: "showAttempt", summary: "One delivery attempt" },
    ({ acts, csrf, nowMs, operator, owns, params }) =>
      Effect.gen(function* () {
        const row = yield* findAttempt(params["attempt_id"] ?? "")
        const { request, response, response_hidden } = yield* toAttemptDetail(operator, row)
        const names = yield* namesOf([subjectOf(row)])
        const all = yield* DeliveryAttempts.use((attempts) =>
          attempts.search(
            { ...anyAttempt, eventId: row.event_id, channelId: row.channel_id },
            { after: null, limit: SHOWN_ATTEMPTS, by: "attempt" }
          )
        )
        return {
          section: DELIVERIES_PATH,
          above: { url: DELIVERIES_PATH, name: "Deliveries" },
          title: "Delivery attempt",
          actions:
            acts && !row.delivered
              ? post({
                  action: `${DELIVERIES_PATH}/${params["attempt_id"]}/retry`,
                  csrf,
                  label: "Retry",
                  tone: "first"
                })
              : html``,
          live: html`<section class="card" aria-labelledby="facts">
              <h2 id="facts">What happened</h2>
              <dl class="facts">
                <dt>Outcome</dt><dd>${outcomeTag(row.outcome)} ${row.delivered ? "" : "It has not arrived."}</dd>
                <dt>When</dt><dd>${when(row.started_at, nowMs)}</dd>
                <dt>Took</dt><dd>${row.latency_ms === null ? "–" : duration(row.latency_ms)}</dd>
                <dt>Status</dt><dd>${row.status_code ?? "none was received"}</dd>
                <dt>Error</dt><dd><bdi>${row.error_code ?? "none"}</bdi></dd>
                <dt>Through</dt><dd>${throughName(row, names)} <span class="id">${row.channel_id}</span></dd>
                <dt>App</dt><dd>${appName(row)} <span class="id">${row.app_id}</span></dd>
                ${
                  row.session_id === null
                    ? null
                    : html`<dt>Conversation</dt>
                      <dd>
                        <a href="/console/conversations/${row.session_id}"
                          ><bdi>${row.person ?? row.session_id}</bdi></a
                        >
                        <span class="id">${row.session_id}</span>
                      </dd>`
                }
                <dt>Event</dt>
                <dd><a class="id" href="${DELIVERIES_PATH}?event=${row.event_id}&amp;state=any">${row.event_id}</a>,
                  part ${row.part + 1}</dd>
              </dl>
            </section>
            <section class="card" aria-labelledby="sent">
              <h2 id="sent">Request</h2>
              ${
                request === null
                  ? html`<p class="soft">Requests are kept for webhooks, not for bots.</p>`
                  : html`<dl class="facts">
                        <dt>To</dt><dd class="mono">${request.url}</dd>
                        <dt>Body</dt>
                          <dd>${bytes(request.body_bytes)}, sha256 <span class="id">${request.body_sha256}</span></dd>
                        <dt>Signed text</dt><dd class="mono">${request.signature_base}</dd>
                      </dl>
                      <pre tabindex="0" aria-label="Headers">${prose(
                        Object.entries(request.headers)
                          .map(([name, value]) => `${name}: ${value}`)
                          .join("\n")
                      )}</pre>`
              }
            </section>
            <section class="card" aria-labelledby="answer">
              <h2 id="answer">Response</h2>
              ${
                response_hidden
                  ? hidden(row.session_id, params["attempt_id"] ?? "", owns)
                  : response === null || response === ""
                    ? html`<p class="soft">There was no response, or it was empty.</p>`
                    : html`<pre tabindex="0" aria-label="Response">${prose(response)}</pre>`
              }
              <p class="soft small">Only the first 8 KiB of a response are kept.</p>
            </section>
            <section class="card flush" aria-labelledby="attempts">
              <h2 id="attempts">${all.next === null ? "All attempts" : "The latest attempts"}</h2>
              ${attemptsTable({ rows: all.rows, by: "attempt", nowMs, empty: html``, names: null })}
            </section>`
        }
      })
  )
}
