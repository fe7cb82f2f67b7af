import type { Referred } from "../domain/referred.ts"
import type { Utterance } from "./Transcript.ts"

/** Of what a message quotes or forwards, this much is shown later. */
const MAX_CHARS = 200
const MAX_ITEMS = 4

const WHOSE = { character: "the character", user: "an own message" } as const
const INNER: Readonly<Record<string, string>> = { "[": "(", "]": ")", '"': "'" }

/** On one line and without the marks that enclose it, so that nobody's words can pass for words of the person. */
const enclosed = (text: string): string => {
  const line = text.replace(/\s+/g, " ").replace(/[[\]"]/g, (mark) => INNER[mark] ?? mark)
  return line.length <= MAX_CHARS ? line : `${line.slice(0, MAX_CHARS).toWellFormed()}…`
}

const lineOf = ({ type, by, author, text }: Referred): string => {
  const whose = by === "other" ? enclosed(author) || "somebody" : WHOSE[by]
  return `[${type === "quote" ? "quotes" : "forwards"} ${whose}: "${enclosed(text)}"]`
}

/** An utterance in a history, with what it quotes or forwards. */
export const historyText = ({ text, referred = [] }: Pick<Utterance, "text" | "referred">): string =>
  referred.length === 0
    ? text
    : [text, ...referred.slice(0, MAX_ITEMS).map(lineOf)].filter((line) => line !== "").join("\n")
