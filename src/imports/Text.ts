import { isEmphasis } from "#pipeline/emission/emphasis.ts"
import { INJECTION } from "#pipeline/safety/lexicon.ts"
import { tooLarge } from "./ImportRefused.ts"
import type { Report } from "./Report.ts"

/** Maximum total length of the texts of a character. */
export const MAX_CHARACTERS = 1_000_000

export const tooMuchText = tooLarge(`The texts of the character have more than ${MAX_CHARACTERS} characters in total.`)

const LEGACY: ReadonlyArray<readonly [RegExp, string]> = [
  [/<user>/gi, "{{user}}"],
  [/<(?:char|bot)>/gi, "{{char}}"]
]
const MACRO = /\{\{([^{}]*)\}\}/g
const LINE_TAG = /<(?:br|hr|\/p|\/div|\/h[1-6]|\/li)\s{0,4}\/?>/gi
const TAG = new RegExp(
  String.raw`<\/?(?:b|i|u|s|em|strong|p|div|span|small|big|center|font|img|a|ul|ol|li|h[1-6]|q|blockquote|` +
    String.raw`details|summary|table|tr|td|th|style|script)(?:\s[^<>]{0,500})?\/?>`,
  "gi"
)
const NARRATION = /(\*{1,3})([^*\n]+)\*{1,3}/g
/** How much of a line is read around what stands between asterisks. */
const AROUND_CHARS = 80

/** The first of a macro's choices, to be deterministic. */
const firstChoice = (choices: string): string =>
  (choices.includes("::") ? choices.split("::") : choices.split(","))
    .map((choice) => choice.trim())
    .find((choice) => choice !== "") ?? ""

/** At most `most` characters (code points). */
export const cut = (text: string, most: number): string =>
  text.length <= most
    ? text
    : Array.from(text.slice(0, most * 2))
        .slice(0, most)
        .join("")

/** Pieces of at most `most` characters, cut between paragraphs, lines or words if possible. */
export const piecesOf = (text: string, most: number): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  for (let rest = text.trim(); rest !== "";) {
    const head = cut(rest, most)
    const at =
      head.length === rest.length
        ? -1
        : (["\n\n", "\n", ". ", " "]
            .map((between) => head.lastIndexOf(between))
            .find((place) => place > head.length / 2) ?? -1)
    const piece = at === -1 ? head : head.slice(0, at + 1)
    pieces.push(piece.trim())
    rest = rest.slice(piece.length).trim()
  }
  return pieces
}

/**
 * Converts text that was written for another program: two placeholders and no other macros, no markup, and no sentences
 * that instruct a model. The report lists what was removed. Instructing sentences are kept in `quarantined`, which
 * nothing reads.
 */
export class Text {
  readonly report: Report
  readonly quarantined: Array<{ readonly path: string; readonly text: string }> = []
  /** What the character is called in speech, if that differs from its name. */
  readonly #nickname: string | null
  #characters = 0

  constructor(report: Report, nickname: string | null) {
    this.report = report
    this.#nickname = nickname
  }

  prepare(source: unknown, path: string): string {
    if (typeof source !== "string" || source === "") return ""
    this.#characters += source.length
    if (this.#characters > MAX_CHARACTERS) throw tooMuchText
    const legacy = LEGACY.reduce(
      (text, [pattern, placeholder]) => text.replace(pattern, placeholder),
      source.replace(/\r\n?/g, "\n")
    )
    const plain = this.#withoutMarkup(this.#withoutMacros(legacy, path), path)
    return this.#withoutOrders(plain, path).trim()
  }

  /** Removes actions that are narrated between asterisks instead of said. What is stressed there is kept. */
  spoken(text: string, path: string): string {
    const said = text
      .replace(NARRATION, (_, stars: string, inside: string, place: number) => {
        const ends = place + inside.length + 2 * stars.length
        const before =
          text
            .slice(Math.max(0, place - AROUND_CHARS), place)
            .split("\n")
            .at(-1) ?? ""
        const after = text.slice(ends, ends + AROUND_CHARS).split("\n", 1)[0] ?? ""
        // Two asterisks are bold: stressed wherever they stand.
        return stars.length === 2 || isEmphasis(inside, before, after) ? inside : " "
      })
      .replace(/[^\S\n]{2,}/g, " ")
      .split("\n")
      .map((line) => line.trim())
      .join("\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim()
    if (said !== text.replaceAll("**", "").trim() && said !== text.replaceAll("*", "").trim())
      this.report.warn(
        "narration_removed",
        path,
        "Actions between asterisks were removed, because they cannot be said in a messenger.",
        text
      )
    return said
  }

  /** At most `most` characters. A longer text is cut and reported. */
  bounded(text: string, most: number, path: string): string {
    const kept = cut(text, most)
    if (kept.length < text.length)
      this.report.warn(
        "text_truncated",
        path,
        `Longer than ${most} characters. The rest was omitted.`,
        text.slice(kept.length)
      )
    return kept.trim()
  }

  #withoutMacros(text: string, path: string): string {
    if (!text.includes("{{")) return text
    return text.replace(MACRO, (whole, inner: string) => {
      const name = inner.trim().toLowerCase()
      // elizaOS numbers its users.
      if (/^user\d?$/.test(name)) return "{{user}}"
      if (name === "char" || name === "bot") return this.#nickname ?? "{{char}}"
      if (name === "newline") return "\n"
      const choice = /^\s*(?:random|pick)\s*(?:::?|\s)/i.exec(inner)
      if (choice === null) {
        this.report.warn("macro_removed", path, "A macro that is not supported here was removed.", whole)
        return ""
      }
      this.report.warn("macro_resolved", path, "A macro with several choices was replaced by the first one.", whole)
      return firstChoice(inner.slice(choice[0].length))
    })
  }

  #withoutMarkup(text: string, path: string): string {
    if (!text.includes("<")) return text
    const plain = text.replace(LINE_TAG, "\n").replace(TAG, "")
    if (plain !== text) this.report.tell("markup_removed", path, "HTML was removed.")
    return plain
  }

  #withoutOrders(text: string, path: string): string {
    return text
      .split("\n")
      .map((line) => {
        if (line.trim() === "" || !INJECTION.some((pattern) => pattern.test(line))) return line
        return line
          .split(/(?<=[.!?])\s+/)
          .filter((sentence) => {
            const orders = INJECTION.some((pattern) => pattern.test(sentence))
            if (orders) {
              this.quarantined.push({ path, text: sentence })
              this.report.warn(
                "instruction_quarantined",
                path,
                "A sentence that instructs a model was removed. It is not followed.",
                sentence
              )
            }
            return !orders
          })
          .join(" ")
      })
      .join("\n")
  }
}
