import { hasMacros, waysOf } from "#pipeline/domain/macros.ts"
import { isEmphasis } from "#pipeline/emission/emphasis.ts"
import { INJECTION } from "#pipeline/safety/lexicon.ts"
import { tooLarge } from "./ImportRefused.ts"
import type { Report } from "./Report.ts"
import { storedMacros } from "./storedMacros.ts"

/** Maximum total length of the texts of a character. */
export const MAX_CHARACTERS = 1_000_000

export const tooMuchText = tooLarge(`The texts of the character have more than ${MAX_CHARACTERS} characters in total.`)

const LINE_TAG = /<(?:br|hr|\/p|\/div|\/h[1-6]|\/li)\s{0,4}\/?>/gi
const TAG = new RegExp(
  String.raw`<\/?(?:b|i|u|s|em|strong|p|div|span|small|big|center|font|img|a|ul|ol|li|h[1-6]|q|blockquote|` +
    String.raw`details|summary|table|tr|td|th|style|script)(?:\s[^<>]{0,500})?\/?>`,
  "gi"
)
const NARRATION = /(\*{1,3})([^*\n]+)\*{1,3}/g
/** A line that only divides a text. */
const DIVIDER = /^[\s*_=-]+$/
/** How much of a line is read around what stands between asterisks. */
const AROUND_CHARS = 80

const PLACEHOLDERS = { character: "{{char}}", user: "{{user}}" }

/** Whether a text gives orders to a model, whichever of its choices is taken. */
const givesOrders = (text: string): boolean =>
  [text, ...(hasMacros(text) ? waysOf(text, PLACEHOLDERS) : [])].some((way) =>
    INJECTION.some((pattern) => pattern.test(way))
  )

/** The sentences of a line. Nothing is parted inside of a macro. */
const sentencesOf = (line: string): ReadonlyArray<string> => {
  const sentences: Array<string> = []
  let open = 0
  for (const part of line.split(/(?<=[.!?])\s+/)) {
    if (open > 0) sentences.push(`${sentences.pop() ?? ""} ${part}`)
    else sentences.push(part)
    open = Math.max(0, open + part.split("{{").length - part.split("}}").length)
  }
  return sentences
}

/** Nobody says a line of asterisks or dashes. */
const withoutDividers = (text: string): string => {
  const lines = text.split("\n")
  const rest = lines.filter((line) => line.trim() === "" || !DIVIDER.test(line))
  return rest.length === lines.length
    ? text
    : rest
        .join("\n")
        .replace(/\n{3,}/g, "\n\n")
        .trim()
}

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
 * Converts text that was written for another program: only macros that are filled here, no markup, and no sentences
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
    const lines = source.replace(/\r\n?/g, "\n")
    const plain = this.#withoutMarkup(storedMacros(lines, this.#nickname ?? "{{char}}", this.report, path), path)
    return this.#withoutOrders(plain, path).trim()
  }

  /** Removes actions that are narrated between asterisks instead of said. What is stressed there is kept. */
  spoken(given: string, path: string): string {
    const text = withoutDividers(given)
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

  /** The text with its first choices, if it is too long to keep all. Its end could not be cut off then. */
  settled(text: string, most: number, path: string): string {
    if (text.length <= most || !hasMacros(text)) return text
    const [first = text] = waysOf(text, PLACEHOLDERS)
    if (first.length < text.length)
      this.report.warn("macro_resolved", path, "Too long for all of its choices. The first ones were taken.", text)
    return first
  }

  /** At most `most` characters. A longer text is cut and reported. */
  bounded(given: string, most: number, path: string): string {
    const text = this.settled(given, most, path)
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
        if (line.trim() === "" || !givesOrders(line)) return line
        return sentencesOf(line)
          .filter((sentence) => {
            const orders = givesOrders(sentence)
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
