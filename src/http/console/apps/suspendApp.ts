import * as Effect from "effect/Effect"
import { FleetBots } from "#src/db/operators/FleetBots.ts"
import { NO_BOT_FILTER } from "#src/db/operators/botFilter.ts"
import { Suspensions } from "#src/db/operators/Suspensions.ts"
import { ApiKeys } from "#src/db/tenancy/ApiKeys.ts"
import { anyAppNotFound } from "#src/http/operators/operatorErrors.ts"
import { html } from "#src/http/server/page.ts"
import { type Console, done } from "../console.ts"
import { counted } from "../figures.ts"
import { input } from "../form.ts"
import { findApp } from "./appScreen.ts"
import { APPS_PATH } from "./appsScreen.ts"

const MAX_REASON = 500
const MOST_COUNTED = 10_000

/** Stops an app as a whole, and lets it continue. Each says first what it will do. */
export const suspendApp = ({ screen, action }: Console): void => {
  const path = `${APPS_PATH}/:app_id`
  const effects = Effect.fnUntraced(function* (appId: string) {
    const [{ bots }, keys] = yield* Effect.all([
      FleetBots.use((fleet) => fleet.select({ ...NO_BOT_FILTER, appId }, MOST_COUNTED)),
      ApiKeys.use((all) => all.list(appId, { after: null, limit: 100 }))
    ])
    return { bots, keys: keys.filter(({ status }) => status === "active").length }
  })

  screen(
    {
      path: `${path}/suspend`,
      role: "operator",
      operationId: "confirmSuspendApp",
      summary: "Say what the suspension of an app does"
    },
    ({ csrf, params }) =>
      Effect.gen(function* () {
        const app = yield* findApp(params["app_id"] ?? "")
        const { bots, keys } = yield* effects(app.app_id)
        const url = `${APPS_PATH}/${app.app_id}`
        return {
          section: APPS_PATH,
          above: { url, name: app.name },
          title: `Suspend ${app.name}?`,
          body: html`<section class="card">
            <ul>
              <li>
                ${counted(keys, "key")} ${keys === 1 ? "is" : "are"} refused, and open streams end within a second.
              </li>
              <li>${counted(bots, "bot")} ${bots === 1 ? "stops" : "stop"} answering. What people write is kept.</li>
              <li>Nothing is pushed to its webhooks. Events wait in the log.</li>
              <li>Nothing is lost: everything continues where it stopped when you resume the app.</li>
            </ul>
            <form class="stack" method="post" action="${url}/suspend">
              ${csrf}
              ${input({
                name: "reason",
                label: "Reason",
                required: true,
                maxlength: MAX_REASON,
                hint: "The developers of the app see it in the error 403 app_suspended"
              })}
              <div class="row">
                <button class="danger first" type="submit">Suspend the app</button>
                <a class="button" href="${url}">Keep it running</a>
              </div>
            </form>
          </section>`
        }
      })
  )

  screen(
    {
      path: `${path}/resume`,
      role: "operator",
      operationId: "confirmResumeApp",
      summary: "Say what resuming an app does"
    },
    ({ csrf, params }) =>
      Effect.gen(function* () {
        const app = yield* findApp(params["app_id"] ?? "")
        const { bots, keys } = yield* effects(app.app_id)
        const url = `${APPS_PATH}/${app.app_id}`
        return {
          section: APPS_PATH,
          above: { url, name: app.name },
          title: `Resume ${app.name}?`,
          body: html`<section class="card">
            <p>
              ${counted(keys, "key")} and ${counted(bots, "bot")} work again. Waiting messages are answered, and waiting
              events are pushed.
            </p>
            <form class="row" method="post" action="${url}/resume">
              ${csrf}<button class="first" type="submit">Resume the app</button>
              <a class="button" href="${url}">Leave it suspended</a>
            </form>
          </section>`
        }
      })
  )

  const back = ({ params }: { readonly params: Readonly<Record<string, string>> }) => `${APPS_PATH}/${params["app_id"]}`

  action(
    { path: `${path}/suspend`, operationId: "suspendAppInConsole", summary: "Suspend an app" },
    ({ params }, form) =>
      Effect.gen(function* () {
        const app = yield* findApp(params["app_id"] ?? "")
        const reason = (form.get("reason") ?? "").trim().slice(0, MAX_REASON)
        const isNew = yield* Suspensions.use((all) => all.suspend(app.app_id, reason === "" ? null : reason))
        return done(
          `${APPS_PATH}/${app.app_id}`,
          isNew ? `${app.name} is suspended.` : `${app.name} was already suspended.`
        )
      }).pipe(Effect.catchTag("NoSuchApp", () => Effect.fail(anyAppNotFound))),
    back
  )

  action(
    { path: `${path}/resume`, operationId: "resumeAppInConsole", summary: "Resume an app" },
    ({ params }) =>
      Effect.gen(function* () {
        const app = yield* findApp(params["app_id"] ?? "")
        const was = yield* Suspensions.use((all) => all.resume(app.app_id))
        return done(
          `${APPS_PATH}/${app.app_id}`,
          was ? `${app.name} continues where it stopped.` : `${app.name} was not suspended.`
        )
      }).pipe(Effect.catchTag("NoSuchApp", () => Effect.fail(anyAppNotFound))),
    back
  )
}
