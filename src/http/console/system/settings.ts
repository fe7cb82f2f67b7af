import type { EffectiveSetting } from "#src/http/operators/EffectiveSettings.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { table } from "../table.ts"

const value = ({ isSecret, isSet, value: text }: EffectiveSetting): Html =>
  isSecret
    ? html`<span class="soft">${isSet ? "set, and secret" : "not set"}</span>`
    : text === null || text === ""
      ? html`<span class="soft">not set</span>`
      : html`<code><bdi>${text}</bdi></code>`

export const settings = (all: ReadonlyArray<EffectiveSetting>): Html =>
  html`<section class="card flush" aria-labelledby="settings">
    <h2 id="settings">Settings of this process</h2>
    ${table<EffectiveSetting>({
      label: "Settings",
      columns: [
        { label: "Setting", cell: ({ name }) => html`<code>${name}</code>` },
        { label: "Value", cell: value },
        { label: "From", cell: ({ source }) => (source === "environment" ? "the environment" : "the default") }
      ],
      rows: all,
      empty: html`<p>There are no settings.</p>`
    })}
  </section>`
