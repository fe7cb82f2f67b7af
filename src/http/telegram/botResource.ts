import type { BotStatistics, StoredChat } from "#src/db/telegram/ChatRows.ts"
import type { StoredBot } from "#src/db/telegram/bots/StoredBot.ts"

export const toBotResource = (bot: StoredBot) => ({
  id: bot.channel_id,
  mode: bot.mode,
  status: bot.status,
  reason: bot.reason,
  held: bot.held,
  character_slug: bot.character_slug,
  telegram_user_id: bot.user_id,
  username: bot.username,
  owner_ref: bot.owner_ref,
  url: bot.username === null ? null : `https://t.me/${bot.username}`,
  token_hint: bot.token_hint,
  unknown_policy: bot.unknown_policy,
  join_window_ms: bot.join_window_ms,
  drafts: bot.drafts,
  webhook: {
    set_at: bot.webhook_set_at?.toISOString() ?? null,
    pending_update_count: bot.health.pending_update_count ?? null,
    last_error_message: bot.health.last_error_message ?? null,
    last_error_at: bot.health.last_error_at ?? null
  },
  last_in_at: bot.last_in_at?.toISOString() ?? null,
  created_at: bot.created_at.toISOString()
})

export const toBotDetail = (bot: StoredBot, figures: BotStatistics) => ({
  ...toBotResource(bot),
  chats: figures.chats,
  blocked_chats: figures.blocked_chats,
  last_out_at: figures.last_out_at?.toISOString() ?? null,
  unknown_24h: figures.unknown_24h,
  rejected_24h: figures.rejected_24h,
  send_latency_ms: { p50: figures.latency_p50_ms, p95: figures.latency_p95_ms },
  blocked_until: figures.blocked_until?.toISOString() ?? null
})

export const chatKey = ({ chat_id, thread_id }: StoredChat) => `${chat_id}_${thread_id}`

export const toChatResource = (chat: StoredChat) => ({
  id: chatKey(chat),
  chat_id: chat.chat_id,
  thread_id: chat.thread_id === 0 ? null : chat.thread_id,
  kind: chat.kind,
  session_id: chat.session_id,
  external_user_ref: chat.external_user_ref,
  status: chat.status,
  reason: chat.reason,
  last_in_at: chat.last_in_at?.toISOString() ?? null,
  created_at: chat.created_at.toISOString()
})
