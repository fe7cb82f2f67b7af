import type { ChannelRow, ChannelState } from "#src/db/operators/OperatorChannels.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { activeState } from "../activeState.ts"
import { count } from "../figures.ts"
import { tag, type Tone } from "../icons.ts"

const TONES: Readonly<Record<Exclude<ChannelState, "active">, Tone>> = {
  paused: "info",
  failing: "bad",
  disabled: "bad"
}

/** A webhook stays active for a day while everything fails, so its failures count, too. */
export const webhookState = ({ status, consecutive_failures: failures }: ChannelRow): Html =>
  status === "active" ? activeState(failures) : tag(TONES[status], status)

/** What failed in the last day. The attempts are counted a minute later than the failures in a row. */
export const failedLately = ({ failures_24h, attempts_24h }: ChannelRow): Html =>
  attempts_24h === 0
    ? html`<span class="soft">none counted</span>`
    : html`${count(failures_24h)} <span class="small">of ${count(attempts_24h)}</span>`
