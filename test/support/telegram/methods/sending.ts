import type { InputRichMessage, RichMessage } from "@grammyjs/types"
import type { Call, Methods } from "../Method.ts"
import type { DirectChat } from "../ChatState.ts"
import { badRequest } from "../Refusal.ts"
import { reach } from "../reach.ts"
import { readDraft, readText } from "../readText.ts"
import { destination, send, threadOf } from "../send.ts"

const ACTIONS = new Set([
  "typing",
  "upload_photo",
  "record_video",
  "upload_video",
  "record_voice",
  "upload_voice",
  "upload_document",
  "choose_sticker",
  "find_location",
  "record_video_note",
  "upload_video_note"
])
/** How long a chat action is visible, and how long a draft. */
const ACTION_MS = 5_000
const DRAFT_MS = 30_000
const LONGEST_RICH_TEXT = 32_768

const readRich = ({ parameters }: Call): RichMessage => {
  const asked = parameters.json<InputRichMessage<never>>("rich_message")
  const source = asked?.html ?? asked?.markdown
  if (source === undefined && asked?.blocks === undefined) throw badRequest("rich message is empty")
  if ((source ?? JSON.stringify(asked?.blocks)).length > LONGEST_RICH_TEXT) throw badRequest("message is too long")
  const blocks =
    source === undefined ? (asked?.blocks ?? []) : [{ type: "paragraph", text: source.replaceAll(/<[^>]+>/g, "") }]
  return { blocks: blocks as RichMessage["blocks"], ...(asked?.is_rtl === true && { is_rtl: true as const }) }
}

const draft = (call: Call, text: string): true => {
  const { bot, parameters, world } = call
  const id = parameters.integer("draft_id")
  if (id === 0) throw badRequest("draft_id must be non-zero")
  const chatState = reach(call, "write")
  if (chatState.chat.type !== "private") throw badRequest("TEXTDRAFT_PEER_INVALID")
  const { message_thread_id: threadId } = threadOf(call, chatState)
  const direct = chatState as DirectChat
  direct.drafts.set(bot.id, {
    id,
    text,
    threadId,
    canStop: parameters.boolean("can_stop"),
    untilMs: world.clock.nowMs() + DRAFT_MS
  })
  world.changedFor(DRAFT_MS)
  return true
}

type Sending = "sendMessage" | "sendMessageDraft" | "sendRichMessage" | "sendRichMessageDraft" | "sendChatAction"

export const sending: Methods<Sending> = {
  sendMessage: (call) => {
    const to = destination(call)
    const { text, entities } = readText(call.parameters)
    return send(call, to, { text, ...(entities.length > 0 && { entities: [...entities] }) })
  },

  sendRichMessage: (call) => send(call, destination(call), { rich_message: readRich(call) }),

  sendMessageDraft: (call) => draft(call, readDraft(call.parameters).text),

  sendRichMessageDraft: (call) => draft(call, JSON.stringify(readRich(call).blocks)),

  sendChatAction: (call) => {
    const { bot, parameters, world } = call
    const action = parameters.text("action").toLowerCase()
    if (!ACTIONS.has(action)) throw badRequest("wrong parameter action in request")
    const chatState = reach(call, "write")
    chatState.activities.set(bot.id, {
      action,
      threadId: threadOf(call, chatState).message_thread_id,
      untilMs: world.clock.nowMs() + ACTION_MS
    })
    world.changedFor(ACTION_MS)
    return true
  }
}
