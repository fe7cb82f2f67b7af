import * as Effect from "effect/Effect"
import { Channels } from "#src/db/delivery/Channels.ts"
import { Audit } from "#src/db/operators/Audit.ts"
import type { AuditAction } from "#src/db/tenancy/auditLog.ts"
import { DeliveryAttempts } from "#src/db/operators/DeliveryAttempts.ts"
import { Health } from "#src/db/operators/Health.ts"
import {
  type ChannelRow,
  MAX_WAITING,
  OperatorChannels,
  type WaitingEvents
} from "#src/db/operators/OperatorChannels.ts"
import { testChannel } from "#src/http/delivery/testChannel.ts"
import { findAnyChannel } from "#src/http/operators/operatorChannelRoutes.ts"
import { anyChannelNotFound } from "#src/http/operators/operatorErrors.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { type Console, done } from "../console.ts"
import { anyAttempt, DELIVERIES_PATH } from "../deliveries/attemptQuery.ts"
import { attemptsTable } from "../deliveries/attemptsTable.ts"
import { count, counted, when } from "../figures.ts"
import { post } from "../form.ts"
import { attentionFeed } from "../overview/attentionFeed.ts"
import { namesOf } from "#src/http/operators/problemNames.ts"
import type { Visit } from "../Screen.ts"
import { WEBHOOKS_PATH } from "./webhooksScreen.ts"
import { failedLately, webhookState } from "./webhookStates.ts"

const SHOWN_DELIVERIES = 20

const actions = ({ channel_id, status }: ChannelRow, waits: boolean, { csrf, acts }: Visit): Html => {
  if (!acts) return html``
  const url = `${WEBHOOKS_PATH}/${channel_id}`
  return html`${post({ action: `${url}/test`, csrf, label: "Send a test event" })}
  ${
    status === "active"
      ? html`${
          waits ? post({ action: `${url}/resume`, csrf, label: "Send what waits now", tone: "first" }) : null
        } ${post({ action: `${url}/pause`, csrf, label: "Pause the webhook" })}`
      : post({ action: `${url}/resume`, csrf, label: "Resume the webhook", tone: "first" })
  }
  <a class="button" href="${DELIVERIES_PATH}/retry?channel=${channel_id}">Send again what it missed…</a>`
}

const conversations = (lanes: number) =>
  lanes === 0 ? "nothing" : `${lanes === MAX_WAITING ? "at least " : ""}${counted(lanes, "conversation")}`

/** A pause that the endpoint asked for holds back everything that waits. */
const nextAttempt = (row: ChannelRow, { next_attempt_at, ready }: WaitingEvents, nowMs: number): Html => {
  if (row.status === "paused" || row.status === "disabled") return when(null, nowMs, "when it is resumed")
  const waits = ready > 0 ? nowMs : next_attempt_at?.getTime()
  const paused = row.not_before === null || row.not_before.getTime() <= nowMs ? undefined : row.not_before.getTime()
  if (waits === undefined && paused === undefined)
    return when(null, nowMs, row.failing_since === null ? "as events come" : "with the next event")
  const at = Math.max(waits ?? nowMs, paused ?? nowMs)
  return at > nowMs ? when(new Date(at), nowMs) : when(null, nowMs, "now")
}

const evidence = (row: ChannelRow, waiting: WaitingEvents, nowMs: number): Html =>
  html`<section class="card" aria-labelledby="evidence">
    <h2 id="evidence">Evidence</h2>
    <dl class="figures">
      <div><dt>Failed, last 24 h</dt>
        <dd>${failedLately(row)} <span class="small">counted once a minute</span></dd></div>
      <div><dt>Failures in a row</dt><dd>${count(row.consecutive_failures)}</dd></div>
      <div><dt>Failing since</dt><dd>${when(row.failing_since, nowMs, "it does not")}</dd></div>
      <div><dt>Last success</dt><dd>${when(row.last_success_at, nowMs)}</dd></div>
      <div><dt>Ready to be sent</dt><dd>${conversations(waiting.ready)}</dd></div>
      <div><dt>Wait for a retry</dt><dd>${conversations(waiting.lanes)}</dd></div>
      <div><dt>Next attempt</dt><dd>${nextAttempt(row, waiting, nowMs)}</dd></div>
    </dl>
    <dl class="facts">
      <dt>App</dt><dd><a href="/console/apps/${row.app_id}"><bdi>${row.app_name}</bdi></a></dd>
      <dt>Address</dt><dd class="mono"><bdi>${row.url}</bdi></dd>
      <dt>Events</dt><dd>${row.events === null ? "all" : row.events.join(", ")}</dd>
      <dt>Created</dt><dd>${when(row.created_at, nowMs)}</dd>
      <dt>Id</dt><dd class="id">${row.channel_id}</dd>
    </dl>
  </section>`

const scopeOf = ({ app_id, session_id }: ChannelRow) => ({ appId: app_id, sessionId: session_id })

/** Records what is done to a webhook, with what it was before. */
const recording =
  (action: AuditAction, { app_id: appId, channel_id: subject, status }: ChannelRow) =>
  <A, E, R>(change: Effect.Effect<A, E, R>) =>
    Audit.use((audit) => audit.changing(change, () => ({ action, appId, subject, detail: { before: { status } } })))

/** One webhook: what is wrong with it, its latest attempts, and what can be done. */
export const webhookScreen = ({ screen, action }: Console): void => {
  const path = `${WEBHOOKS_PATH}/:channel_id`
  const idOf = ({ params }: Pick<Visit, "params">) => params["channel_id"] ?? ""
  const back = (visit: Pick<Visit, "params">) => `${WEBHOOKS_PATH}/${idOf(visit)}`

  screen({ path, operationId: "showWebhook", summary: "The screen of a webhook" }, (visit) =>
    Effect.gen(function* () {
      const { nowMs } = visit
      const row = yield* findAnyChannel(idOf(visit))
      const [waiting, { problems }, { rows }] = yield* Effect.all(
        [
          OperatorChannels.use((all) => all.waiting(row)),
          Health.use((health) => health.ofApp(row.app_id)),
          DeliveryAttempts.use((attempts) =>
            attempts.search(
              { ...anyAttempt, appId: row.app_id, channelId: row.channel_id },
              { after: null, limit: SHOWN_DELIVERIES, by: "delivery" }
            )
          )
        ],
        { concurrency: 3 }
      )
      const own = problems.filter(({ subject }) => subject.channel_id === row.channel_id)
      return {
        section: DELIVERIES_PATH,
        above: { url: WEBHOOKS_PATH, name: "Webhooks" },
        title: "Webhook",
        actions: actions(row, waiting.lanes > 0, visit),
        live: html`<p class="row">${webhookState(row)} <bdi class="mono">${row.url}</bdi></p>
          ${attentionFeed(own, { nowMs, names: yield* namesOf(own), here: visit.path })}
          ${evidence(row, waiting, nowMs)}
          <section class="card flush" aria-labelledby="deliveries">
            <h2 id="deliveries">Deliveries of the latest events</h2>
            ${attemptsTable({
              rows,
              by: "delivery",
              nowMs,
              empty: html`<p>Nothing has been pushed yet.</p>`,
              names: null
            })}
            <p class="pages">
              <a href="${DELIVERIES_PATH}?channel=${row.channel_id}&amp;state=any">All its deliveries</a>
              <a href="/console/audit?subject=${row.channel_id}">Who did what to it</a>
            </p>
          </section>`
      }
    })
  )

  action(
    { path: `${path}/test`, operationId: "testWebhookInConsole", summary: "Send a test event" },
    (visit) =>
      Effect.gen(function* () {
        const row = yield* findAnyChannel(idOf(visit))
        const channel = yield* Channels.use((channels) => channels.get(scopeOf(row), row.channel_id))
        if (channel === undefined) return yield* anyChannelNotFound
        const { outcome, status_code, error_code } = yield* testChannel(row.app_id, channel)
        yield* recording("channel.tested", row)(Effect.void)
        const answer = `${status_code === null ? "no status" : `status ${status_code}`}${
          error_code === null ? "" : `, ${error_code}`
        }`
        return outcome === "sent"
          ? done(back(visit), `The endpoint accepted the test event (${answer}).`)
          : done(back(visit), `The test event did not arrive: ${answer}.`, "bad")
      }),
    back
  )
  action(
    { path: `${path}/pause`, operationId: "pauseWebhookInConsole", summary: "Pause a webhook" },
    (visit) =>
      Effect.gen(function* () {
        const row = yield* findAnyChannel(idOf(visit))
        yield* recording(
          "channel.paused",
          row
        )(Channels.use((channels) => channels.pause(scopeOf(row), row.channel_id)))
        return done(back(visit), "The webhook is paused. Events wait in the log until it is resumed.")
      }),
    back
  )
  action(
    { path: `${path}/resume`, operationId: "resumeWebhookInConsole", summary: "Resume a webhook" },
    (visit) =>
      Effect.gen(function* () {
        const row = yield* findAnyChannel(idOf(visit))
        yield* recording(
          "channel.resumed",
          row
        )(Channels.use((channels) => channels.resume(scopeOf(row), row.channel_id)))
        return done(back(visit), "The webhook continues from where it stopped. What waits is sent now.")
      }),
    back
  )
}
