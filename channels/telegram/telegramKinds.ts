import type { ChannelKind } from "../ChannelKind.ts"

/** A bot's channel is made with its bot, and configured there. */
const bot = { paced: true, holdKind: "telegram", config: null, secret: null } as const

/** Of a bot that an app has brought. */
export const TELEGRAM_BYO = { name: "telegram_byo", ...bot } as const satisfies ChannelKind
/** Of a bot that the manager bot has made. */
export const TELEGRAM_MANAGED = { name: "telegram_managed", ...bot } as const satisfies ChannelKind
