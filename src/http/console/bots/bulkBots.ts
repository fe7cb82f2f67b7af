import * as Effect from "effect/Effect"
import { HOOKS_PATH } from "#channels/telegram/hooksPath.ts"
import { FleetBatches, MAX_BATCH } from "#src/db/operators/FleetBatches.ts"
import { type BotSelection, FleetBots, type SelectedBot } from "#src/db/operators/FleetBots.ts"
import { OPERATOR_ACTIONS } from "#src/db/telegram/batches/batchKinds.ts"
import { selectionTooLarge } from "#src/http/operators/operatorErrors.ts"
import { validationError } from "#src/http/server/errors.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { BATCHES_PATH } from "../batches/batchScreen.ts"
import { type Console, done } from "../console.ts"
import { count, counted } from "../figures.ts"
import { input } from "../form.ts"
import { table } from "../table.ts"
import { choice } from "../url.ts"
import { botFilterOf, BOTS_PATH, filterText } from "./botQuery.ts"
import { botState, botStateName } from "./botStates.ts"

const MAX_REASON = 200
const CHANGED = "The filter now selects a different number. Nothing was done. Check the number and confirm again."

type Action = (typeof OPERATOR_ACTIONS)[number]
/** What is done, and what that means for the people who write to the bots. */
const WORDS: Readonly<Record<Action, readonly [name: string, effect: string]>> = {
  suspend: ["Suspend", "They stop answering. Messages from people are kept until the bots are resumed."],
  resume: ["Resume", "They continue where they stopped, and answer the messages that arrived in the meantime."],
  probe: ["Ask Telegram", "Telegram is asked about each webhook. People who chat with the bots don't notice."],
  rotate_secret: ["New webhook secret", "Each gets a new secret. The old one is valid for ten more minutes."],
  rotate_token: ["New token", "Each managed bot gets a new token. The old one stops working at once."],
  rebrand: ["Update the profile", "Name, texts, commands and picture are set again from the character."]
}

const states = ({ statuses }: BotSelection): string =>
  (Object.entries(statuses) as ReadonlyArray<[keyof BotSelection["statuses"], number]>)
    .map(([status, bots]) => `${count(bots)} ${botStateName(status)}`)
    .join(", ")

const preview = (selection: BotSelection): Html =>
  html`<section class="card flush" aria-labelledby="preview">
    <h2 id="preview">${counted(selection.bots, "bot")} of ${counted(selection.apps, "app")}</h2>
    <p class="pages">${states(selection)}</p>
    ${table<SelectedBot>({
      label: "The first of them, the worst first",
      columns: [
        {
          label: "Bot",
          cell: ({ username, bot_id }) => html`<bdi>${username === null ? bot_id : `@${username}`}</bdi>`
        },
        { label: "State", cell: ({ status }) => botState(status) },
        { label: "App", cell: ({ app_name }) => html`<bdi>${app_name}</bdi>` }
      ],
      rows: selection.sample,
      empty: html`<p>No bot matches.</p>`
    })}
    ${
      selection.bots > selection.sample.length
        ? html`<p class="pages">and ${count(selection.bots - selection.sample.length)} more</p>`
        : null
    }
  </section>`

/** Acts on every bot that a filter selects: first what that means in numbers, then the progress. */
export const bulkBots = ({ screen, action }: Console): void => {
  screen(
    {
      path: `${BOTS_PATH}/bulk`,
      role: "operator",
      operationId: "previewBulk",
      summary: "Preview an action on many bots"
    },
    ({ csrf, query }) =>
      Effect.gen(function* () {
        const filter = filterText(query)
        const selection = yield* FleetBots.use((bots) => bots.select(botFilterOf(query), MAX_BATCH))
        if (selection.bots > MAX_BATCH) return yield* selectionTooLarge(MAX_BATCH)
        return {
          section: BOTS_PATH,
          above: { url: `${BOTS_PATH}?${filter}`, name: "Bots" },
          title: "Act on all bots that match",
          body: html`<div class="split">
            ${preview(selection)}
            <form class="card" method="post" action="${BOTS_PATH}/bulk">
              ${csrf}
              <input type="hidden" name="filter" value="${filter}" />
              <input type="hidden" name="bots" value="${selection.bots}" />
              <fieldset class="stack tight">
                <legend><h2>What to do with ${counted(selection.bots, "bot")}</h2></legend>
                ${OPERATOR_ACTIONS.map(
                  (name, index) =>
                    html`<p>
                      <label>
                        <input type="radio" name="action" value="${name}" ${index === 0 ? html`required` : null} />
                        <strong>${WORDS[name][0]}</strong> <span class="soft">${WORDS[name][1]}</span>
                      </label>
                    </p>`
                )}
              </fieldset>
              ${input({ name: "reason", label: "Reason", maxlength: MAX_REASON, hint: "Kept in the audit log" })}
              <div class="row">
                <button class="danger first" type="submit" ${selection.bots === 0 ? html`disabled` : null}>
                  Do it to ${counted(selection.bots, "bot")}
                </button>
                <a class="button" href="${BOTS_PATH}?${filter}">Change nothing</a>
              </div>
            </form>
          </div>`
        }
      })
  )

  action(
    { path: `${BOTS_PATH}/bulk`, operationId: "startBulk", summary: "Begin an action on many bots" },
    ({ baseUrl }, form) =>
      Effect.gen(function* () {
        const asked = choice(form, "action", OPERATOR_ACTIONS)
        if (asked === null) return yield* validationError("action: Choose what to do.")
        const wanted = new URLSearchParams(form.get("filter") ?? "")
        const filter = botFilterOf(wanted)
        const reason = (form.get("reason") ?? "").trim().slice(0, MAX_REASON)
        const { bots } = yield* FleetBots.use((fleet) => fleet.select(filter, MAX_BATCH))
        if (String(bots) !== form.get("bots")) return done(`${BOTS_PATH}/bulk?${filterText(wanted)}`, CHANGED, "warn")
        const batch = yield* FleetBatches.use((batches) =>
          batches.startBots({
            action: asked,
            filter,
            reason: reason === "" ? null : reason,
            hooksAt: `${baseUrl}${HOOKS_PATH}`
          })
        )
        return done(`${BATCHES_PATH}/${batch.batch_id}`, `Started for ${counted(batch.total, "bot")}.`)
      }),
    () => BOTS_PATH
  )
}
