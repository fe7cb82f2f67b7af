export type UnreadKind = "unheard" | "unseen"

/** Longer messages contain more than a few placeholders. */
const MAX_CHARACTERS = 4_000
/** How channels describe what they cannot read. With a transcript, words follow. */
const PLACEHOLDER = new RegExp(
  "^\\[(voice message|video message|audio|video|photo|animation|file|story|paid media|gift|unsupported message)" +
    "(?:[,:][^\\n]*)?\\]$"
)
const HEARD: ReadonlySet<string> = new Set(["voice message", "video message", "audio"])

/** In a group, the name of the speaker comes first. */
const withoutSpeaker = (line: string) => (line.includes(": [") ? line.slice(line.indexOf(": [") + 2) : line)
const placeholderIn = (line: string): string | undefined => PLACEHOLDER.exec(line)?.[1]

/** What a message consists of if it has no words: something to hear, or only something to see. Null: it has words. */
export const unreadKind = (text: string): UnreadKind | null => {
  if (text === "" || text.length > MAX_CHARACTERS) return null
  const kinds = text
    .split("\n")
    .map((line, index) => placeholderIn(line) ?? (index === 0 ? placeholderIn(withoutSpeaker(line)) : undefined))
  if (kinds.includes(undefined)) return null
  return kinds.some((kind) => kind !== undefined && HEARD.has(kind)) ? "unheard" : "unseen"
}

/** Whether a message contains, beside its words, something that the character has not seen or heard. */
export const hasUnread = (text: string): boolean =>
  text
    .split("\n")
    .some((line) => placeholderIn(line) !== undefined || placeholderIn(withoutSpeaker(line)) !== undefined)
