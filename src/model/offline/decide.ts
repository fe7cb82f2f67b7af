import type { Reply, WriteRequest } from "#pipeline/generation/Writer.ts"
import type { Act } from "#pipeline/relational/rules/acts.ts"

const LONG_MONOLOGUE_CHARS = 400
const SPAM = /^(?:[^\p{L}\p{N}]*|(.)\1{5,}|(.{1,12}?)(?:\s*\2){4,})$/su

/** Nothing that anybody could answer: empty, one thing over and over, or "ok" to a long monologue. */
const saysNothing = ({ turn, history }: WriteRequest, act: Act): boolean =>
  SPAM.test(turn.text.trim()) || (act === "acknowledgement" && history.at(-1)?.role === "character" && (history.at(-1)?.text.length ?? 0) > LONG_MONOLOGUE_CHARS)

/** Silence or leaving only where the turn allows it; the rest of the rules is the pipeline's. */
export const decide = (request: WriteRequest, act: Act): Pick<Reply, "decision" | "exit_reason"> => {
  if (request.decisions.includes("exit") && act === "insult") return { decision: "exit", exit_reason: "repeated_abuse" }
  return { decision: request.decisions.includes("withhold") && saysNothing(request, act) ? "withhold" : "reply", exit_reason: null }
}
