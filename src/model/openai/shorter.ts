import type { ChatMessage } from "#pipeline/chat.ts"

/** What is kept of the history each time. */
const KEPT_SHARE = 0.5
const charsOf = (messages: ReadonlyArray<ChatMessage>) => messages.reduce((sum, { content }) => sum + content.length, 0)

/**
 * The same request with about half of its history: what is oldest is dropped, and what remains begins with the person.
 * The instructions and the last message stay. Null: there is no history.
 */
export const shorter = (
  messages: ReadonlyArray<ChatMessage>
): { readonly messages: ReadonlyArray<ChatMessage>; readonly dropped: number } | null => {
  const begin = messages[0]?.role === "system" ? 1 : 0
  const history = messages.slice(begin, -1)
  if (history.length === 0) return null
  const most = charsOf(history) * KEPT_SHARE
  let dropped = 0
  while (dropped < history.length && (dropped === 0 || charsOf(history.slice(dropped)) > most)) dropped++
  while (dropped < history.length && history[dropped]?.role === "assistant") dropped++
  return { messages: [...messages.slice(0, begin), ...history.slice(dropped), ...messages.slice(-1)], dropped }
}
