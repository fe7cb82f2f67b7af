import type { Reply, WriteRequest } from "#pipeline/generation/Writer.ts"
import type { Act } from "#pipeline/relational/rules/acts.ts"

const LONG_MONOLOGUE_CHARS = 400
const WORDLESS = /^[^\p{L}\p{N}]*$/u
const LONGEST_UNIT = 12
const MIN_REPEATS = 5

/** The same word over and over: "no no no no no". */
const isRepetition = (text: string): boolean => {
  const packed = text.replace(/\s+/g, "")
  return Array.from({ length: LONGEST_UNIT }, (_, i) => i + 1).some(
    (length) =>
      packed.length >= length * MIN_REPEATS &&
      packed.length % length === 0 &&
      packed === packed.slice(0, length).repeat(packed.length / length)
  )
}

/** The message has nothing to answer: it is empty, one word over and over, or "ok" after a long message. */
const saysNothing = ({ turn, history }: WriteRequest, act: Act): boolean =>
  WORDLESS.test(turn.text) ||
  isRepetition(turn.text) ||
  (act === "acknowledgement" &&
    history.at(-1)?.role === "character" &&
    (history.at(-1)?.text.length ?? 0) > LONG_MONOLOGUE_CHARS)

/** Silence or leaving only if the turn allows it. All other rules are in the pipeline. */
export const decide = (request: WriteRequest, act: Act): Pick<Reply, "decision" | "exit_reason"> => {
  if (request.decisions.includes("exit") && act === "insult") return { decision: "exit", exit_reason: "repeated_abuse" }
  return {
    decision: request.decisions.includes("withhold") && saysNothing(request, act) ? "withhold" : "reply",
    exit_reason: null
  }
}
