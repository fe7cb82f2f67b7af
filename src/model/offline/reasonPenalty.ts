import type { LineKind } from "./lineKinds.ts"

/** A line that gives a reason does not answer "and then?", and one that does not is a poor answer to "why?". */
const OTHER_QUESTION = 0.2
const ASKS_WHY =
  /^\P{L}*(?:(?:but|and|ok|oh|wait|hm+|so|wow)[\s,]+)*(?:why|how come|porqu[eê]|por qu[eé]|warum|wieso)(?!\p{L})/iu
const GIVES_REASON = new RegExp(
  String.raw`\b(?:because|reasons?|short answer|short version|it was that or|feeling in|backstory|explain)\b|` +
    String.raw`(?<!\p{L})(?:porque|razão|motivo|weil|grund)(?!\p{L})`,
  "iu"
)

/** The penalty for a line that gives a reason where none is asked for, or the other way round. */
export const reasonPenalty = (kind: LineKind, text: string, line: string): number =>
  kind !== "elaborate" || GIVES_REASON.test(line) === ASKS_WHY.test(text) ? 0 : OTHER_QUESTION
