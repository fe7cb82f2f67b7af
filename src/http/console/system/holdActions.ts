import * as Effect from "effect/Effect"
import { NO_BOT_FILTER } from "#src/db/operators/botFilter.ts"
import { FleetBots } from "#src/db/operators/FleetBots.ts"
import { TelegramSuspensions } from "#src/db/telegram/TelegramSuspensions.ts"
import { anyAppNotFound } from "#src/http/operators/operatorErrors.ts"
import { html } from "#src/http/server/page.ts"
import { type Console, done } from "../console.ts"
import { counted } from "../figures.ts"
import { input } from "../form.ts"
import { SYSTEM_PATH } from "./systemScreen.ts"

const MAX_REASON = 500
const MOST_COUNTED = 10_000

/** Stops every bot at once, and releases holds. */
export const holdActions = ({ screen, action }: Console): void => {
  screen(
    { path: `${SYSTEM_PATH}/hold`, role: "operator", operationId: "confirmHold", summary: "Say what a hold does" },
    ({ csrf }) =>
      Effect.gen(function* () {
        const { bots, apps } = yield* FleetBots.use((fleet) => fleet.select(NO_BOT_FILTER, MOST_COUNTED))
        return {
          section: SYSTEM_PATH,
          above: { url: SYSTEM_PATH, name: "System" },
          title: "Stop all bots?",
          body: html`<section class="card">
            <p>
              ${counted(bots, "bot")} of ${counted(apps, "app")} stop at once, and so does every bot that is attached
              later. Requests in flight finish. New messages are kept, and answered after the release.
            </p>
            <form class="stack" method="post" action="${SYSTEM_PATH}/hold">
              ${csrf} ${input({ name: "reason", label: "Reason", required: true, maxlength: MAX_REASON })}
              <div class="row">
                <button class="danger first" type="submit">Stop all bots</button>
                <a class="button" href="${SYSTEM_PATH}">Keep them running</a>
              </div>
            </form>
          </section>`
        }
      })
  )

  action(
    { path: `${SYSTEM_PATH}/hold`, operationId: "holdInConsole", summary: "Stop all bots" },
    (_, form) =>
      Effect.gen(function* () {
        const reason = (form.get("reason") ?? "").trim().slice(0, MAX_REASON)
        yield* TelegramSuspensions.use((all) => all.suspend(null, reason === "" ? null : reason))
        return done(`${SYSTEM_PATH}#holds`, "All bots are stopped.")
      }).pipe(Effect.catchTag("NoSuchApp", () => Effect.fail(anyAppNotFound))),
    () => SYSTEM_PATH
  )

  action(
    { path: `${SYSTEM_PATH}/release`, operationId: "releaseInConsole", summary: "Release a hold" },
    (_, form) =>
      Effect.gen(function* () {
        const app = form.get("app") ?? ""
        const was = yield* TelegramSuspensions.use((all) => all.resume(app === "" ? null : app))
        const text = was ? "The hold is released. The bots continue where they stopped." : "There was no such hold."
        return done(`${SYSTEM_PATH}#holds`, text, was ? "good" : "warn")
      }).pipe(Effect.catchTag("NoSuchApp", () => Effect.fail(anyAppNotFound))),
    () => SYSTEM_PATH
  )
}
