/** The fields of a message that say who sent it, where, and how: not what it contains. Telegram's Bot API 9. */
const ENVELOPE: ReadonlySet<string> = new Set(
  (
    "message_id message_thread_id direct_messages_topic from sender_chat sender_boost_count sender_business_bot date " +
    "business_connection_id chat forward_origin is_topic_message is_automatic_forward reply_to_message " +
    "external_reply quote reply_to_story reply_to_checklist_task_id via_bot edit_date has_protected_content " +
    "is_from_offline is_paid_post media_group_id author_signature paid_star_count text entities " +
    "link_preview_options suggested_post_info effect_id caption caption_entities show_caption_above_media " +
    "has_media_spoiler reply_markup forward_from forward_from_chat forward_from_message_id forward_signature " +
    "forward_sender_name forward_date is_ephemeral sender_tag"
  ).split(" ")
)

/** The fields of service messages, which say what happened in a chat, and not what somebody said. */
const SERVICE: ReadonlySet<string> = new Set(
  (
    "new_chat_members new_chat_member new_chat_participant left_chat_member left_chat_participant chat_owner_left " +
    "chat_owner_changed new_chat_title new_chat_photo delete_chat_photo group_chat_created supergroup_chat_created " +
    "channel_chat_created message_auto_delete_timer_changed migrate_to_chat_id migrate_from_chat_id pinned_message " +
    "refunded_payment gift_upgrade_sent connected_website write_access_allowed proximity_alert_triggered boost_added " +
    "chat_background_set checklist_tasks_done checklist_tasks_added direct_message_price_changed " +
    "forum_topic_created forum_topic_edited forum_topic_closed forum_topic_reopened general_forum_topic_hidden " +
    "general_forum_topic_unhidden giveaway_created giveaway_completed " +
    "paid_message_price_changed suggested_post_approved suggested_post_approval_failed suggested_post_declined " +
    "suggested_post_paid suggested_post_refunded video_chat_scheduled video_chat_started video_chat_ended " +
    "video_chat_participants_invited voice_chat_scheduled voice_chat_started voice_chat_ended " +
    "voice_chat_participants_invited managed_bot_created poll_option_added poll_option_deleted"
  ).split(" ")
)

/** The form of a field of the Bot API. */
const FIELD = /^[a-z][a-z0-9_]{0,63}$/

/**
 * The field that holds what a message contains, if we do not know its kind or its form. Undefined: it has no content,
 * or is a service message. `read`: the fields that we could read.
 */
export const unknownContent = (message: object, read: object): string | undefined => {
  const fields = Object.keys(message)
  const isRead = (field: string) => Object.hasOwn(read, field) && (field === "text" || !ENVELOPE.has(field))
  if (fields.some((field) => SERVICE.has(field) || isRead(field))) return undefined
  return fields.find((field) => FIELD.test(field) && !ENVELOPE.has(field))
}
