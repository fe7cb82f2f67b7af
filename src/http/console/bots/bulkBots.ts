import * as Effect from "effect/Effect"
import { HOOKS_PATH } from "#channels/telegram/hooksPath.ts"
import { isId } from "#pipeline/domain/Id.ts"
import { FleetBatches, MAX_BATCH } from "#src/db/operators/FleetBatches.ts"
import { type BotSelection, FleetBots, type SelectedBot } from "#src/db/operators/FleetBots.ts"
import { OPERATOR_ACTIONS } from "#src/db/telegram/batches/batchKinds.ts"
import type { StoredBatch, StoredItem } from "#src/db/telegram/batches/StoredBatch.ts"
import { anyBatchNotFound, selectionChanged, selectionTooLarge } from "#src/http/operators/operatorErrors.ts"
import { validationError } from "#src/http/server/errors.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { type Console, done } from "../console.ts"
import { count, counted, meter } from "../figures.ts"
import { input } from "../form.ts"
import { tag } from "../icons.ts"
import { table } from "../table.ts"
import { choice } from "../url.ts"
import { botFilterOf, BOTS_PATH, filterText } from "./botQuery.ts"
import { botState, botStateName } from "./botStates.ts"

const BATCHES_PATH = "/console/batches"
const MAX_REASON = 200
const SHOWN_ITEMS = 100

type Action = (typeof OPERATOR_ACTIONS)[number]
/** What is done, and what that means for the people who write to the bots. */
const WORDS: Readonly<Record<Action, readonly [name: string, effect: string]>> = {
  suspend: ["Suspend", "They stop answering. What people write is kept until they are resumed."],
  resume: ["Resume", "They continue where they stopped, and answer what people wrote meanwhile."],
  probe: ["Ask Telegram", "Telegram is asked about each webhook. Nobody notices."],
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

const progress = ({ total, done: finished, failed }: StoredBatch): Html =>
  html`<section class="card" aria-labelledby="progress">
    <h2 id="progress">${count(finished + failed)} of ${count(total)} done</h2>
    ${meter(finished + failed, Math.max(1, total), `${finished + failed} of ${total} done`)}
    <p class="row">
      ${tag("good", `${count(finished)} succeeded`)}
      ${failed > 0 ? tag("bad", `${count(failed)} failed`) : tag("none", "none failed")}
      ${finished + failed === total ? html`<strong>Finished.</strong>` : html`<span>Still running.</span>`}
    </p>
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
        const filter = botFilterOf(new URLSearchParams(form.get("filter") ?? ""))
        const reason = (form.get("reason") ?? "").trim().slice(0, MAX_REASON)
        const { bots } = yield* FleetBots.use((fleet) => fleet.select(filter, MAX_BATCH))
        if (String(bots) !== form.get("bots")) return yield* selectionChanged(bots)
        const batch = yield* FleetBatches.use((batches) =>
          batches.startBots({
            action: asked,
            filter,
            reason: reason === "" ? null : reason,
            hooksAt: `${baseUrl}${HOOKS_PATH}`
          })
        )
        return done(`${BATCHES_PATH}/${batch.batch_id}`, `It has begun with ${counted(batch.total, "bot")}.`)
      }),
    () => BOTS_PATH
  )

  screen(
    { path: `${BATCHES_PATH}/:batch_id`, operationId: "showBatch", summary: "The progress of an action on many" },
    ({ params }) =>
      Effect.gen(function* () {
        const id = params["batch_id"] ?? ""
        const batches = yield* FleetBatches
        const batch = (isId("bat", id) ? yield* batches.get(id) : undefined) ?? (yield* anyBatchNotFound)
        const items = yield* batches.items(id, { after: null, limit: SHOWN_ITEMS })
        return {
          section: BOTS_PATH,
          above: { url: BOTS_PATH, name: "Bots" },
          title: batch.action.replaceAll("_", " "),
          live: html`${progress(batch)}
            <section class="card flush" aria-labelledby="items">
              <h2 id="items">Each of them</h2>
              ${table<StoredItem>({
                label: "Each of them",
                columns: [
                  { label: "Number", cell: ({ item }) => String(Number(item)) },
                  { label: "Bot", cell: ({ channel_id }) => html`<span class="id">${channel_id ?? "–"}</span>` },
                  {
                    label: "State",
                    cell: ({ status }) => tag(status === "done" ? "good" : status === "failed" ? "bad" : "info", status)
                  },
                  { label: "Error", cell: ({ error }) => html`<bdi>${error ?? "–"}</bdi>` }
                ],
                rows: items,
                empty: html`<p>Nothing matched.</p>`
              })}
              ${batch.total > items.length ? html`<p class="pages">The first ${items.length} are shown.</p>` : null}
            </section>`
        }
      })
  )
}
