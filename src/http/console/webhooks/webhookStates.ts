import type { ChannelState } from "#src/db/operators/OperatorChannels.ts"
import type { Html } from "#src/http/server/page.ts"
import { tag, type Tone } from "../icons.ts"

const TONES: Readonly<Record<ChannelState, Tone>> = { active: "good", paused: "info", failing: "bad", disabled: "bad" }

export const webhookState = (status: ChannelState): Html => tag(TONES[status], status)
