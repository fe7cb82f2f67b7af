import { claimLink, newBotLink } from "#channels/telegram/newBotLinks.ts"
import type { StoredBatch, StoredItem } from "#src/db/telegram/batches/StoredBatch.ts"

export const toBatchResource = (batch: StoredBatch) => ({
  id: batch.batch_id,
  action: batch.action,
  dry_run: batch.dry_run,
  status: batch.done + batch.failed === batch.total ? "completed" : "running",
  total: batch.total,
  done: batch.done,
  failed: batch.failed,
  created_at: batch.created_at.toISOString()
})

/** Null unless a person still has to create the bot, and the link is valid. */
export const linkOf = ({ manager }: StoredBatch, { link, wanted }: StoredItem) =>
  manager === null || wanted === null || link === null
    ? null
    : {
        url: wanted.is_random
          ? newBotLink(manager, wanted.suggested_username, wanted.suggested_name)
          : claimLink(manager, link.claimCode),
        claim_url: claimLink(manager, link.claimCode),
        expires_at: link.expiresAt.toISOString()
      }

export const toItemResource = (batch: StoredBatch, item: StoredItem) => ({
  place: Number(item.item),
  bot_id: item.channel_id,
  status: item.status,
  error_code: item.error,
  next_attempt_at: item.status === "pending" && item.error !== null ? item.due_at.toISOString() : null,
  bot: item.bot,
  link: linkOf(batch, item)
})
