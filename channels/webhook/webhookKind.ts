import type { ChannelKind } from "../ChannelKind.ts"
import { WebhookConfig } from "./WebhookConfig.ts"

export const WEBHOOK = {
  name: "webhook",
  paced: false,
  holdKind: null,
  config: WebhookConfig,
  secret: "signs"
} as const satisfies ChannelKind
