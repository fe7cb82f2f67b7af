import type { Utterance } from "../retrieval/Transcript.ts"

/** What was said before a message, as far as it tells what the message means. */
export interface SaidBefore {
  /** The character's last message. Empty if there is none. */
  readonly line: string
  /** The person's messages before it, at most two, oldest first. */
  readonly earlier: ReadonlyArray<string>
  /** All messages of the person that are known. */
  readonly all?: ReadonlyArray<string>
}

export const NOTHING_BEFORE: SaidBefore = { line: "", earlier: [] }

const MOST_EARLIER = 2

/** `history`: what was said before the message, oldest first. */
export const saidBefore = (history: ReadonlyArray<Pick<Utterance, "role" | "text">>): SaidBefore => {
  const said = (role: Utterance["role"]) => history.filter((one) => one.role === role).map(({ text }) => text)
  const all = said("user")
  return { line: said("character").at(-1) ?? "", earlier: all.slice(-MOST_EARLIER), all }
}
