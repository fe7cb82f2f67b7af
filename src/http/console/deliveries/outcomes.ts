import type { OutcomeName } from "#channels/Lanes.ts"
import type { Html } from "#src/http/server/page.ts"
import { tag, type Tone } from "../icons.ts"

const OUTCOMES: Readonly<Record<OutcomeName, readonly [Tone, string]>> = {
  sent: ["good", "sent"],
  not_sent: ["warn", "not sent"],
  unknown: ["warn", "unknown"],
  rejected: ["bad", "rejected"],
  gone: ["bad", "gone"],
  expired: ["bad", "expired"]
}

export const outcomeTag = (outcome: OutcomeName): Html => tag(...OUTCOMES[outcome])
