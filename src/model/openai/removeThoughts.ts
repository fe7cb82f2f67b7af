/** An answer without the thoughts that were written before it. */
export interface WithoutThoughts {
  readonly text: string
  readonly thinking: string
  /** The thoughts never ended, so there is no answer. */
  readonly isUnfinished: boolean
}

const BRACKETS: ReadonlyArray<readonly [open: string, close: string]> = [
  ["<|", "|>"],
  ["<", ">"],
  ["[", "]"],
  ["◁", "▷"]
]
/** The longest marker, with a namespace and attributes. */
const MAX_MARKER_CHARS = 120
const NAMES_THOUGHTS = /think|thought|reason/i
/** Names that other text may have as well, so that they count only in a pair. */
const MAY_NAME_THOUGHTS: ReadonlySet<string> = new Set(
  "analysis scratchpad reflection reflections plan planning monologue innermonologue internalmonologue cot".split(" ")
)
const NAMES_ANSWER: ReadonlySet<string> = new Set(
  "answer finalanswer response startresponse finalresponse reply output final".split(" ")
)
const isIn = (names: ReadonlySet<string>, name: string): boolean => names.has(name.toLowerCase().replace(/[-_]/g, ""))
const NAME = /^[\w:.-]{1,60}/

interface Marker {
  /** Without a namespace. */
  readonly name: string
  /** Where the words in the pair begin. */
  readonly end: number
  readonly opening: string
  readonly closing: string
  readonly isInCapitals: boolean
  readonly isSquare: boolean
}

/** The marker at the start of a text. */
const markerAtStart = (text: string): Marker | null => {
  const brackets = BRACKETS.find(([open]) => text.startsWith(open))
  if (brackets === undefined) return null
  const [open, close] = brackets
  const end = text.slice(0, MAX_MARKER_CHARS).indexOf(close, open.length)
  if (end === -1) return null
  const name = NAME.exec(text.slice(open.length, end))?.[0] ?? ""
  if (name === "") return null
  const isInCapitals = name === name.toUpperCase()
  const ending = name.replace(/begin|start/i, isInCapitals ? "END" : "end")
  return {
    name: name.slice(name.lastIndexOf(":") + 1),
    end: end + close.length,
    opening: `${open}${name}`,
    closing: ending === name ? `${open}/${name}${close}` : `${open}${ending}${close}`,
    isInCapitals,
    isSquare: open === "["
  }
}

/** The marker at the start of a text that opens thoughts. */
const openingMarker = (text: string): (Marker & { readonly mayBeText: boolean }) | null => {
  const marker = markerAtStart(text)
  if (marker === null) return null
  const { name, isSquare, isInCapitals } = marker
  // A bracketed word in lower case may be a stage direction, such as `[thinking]`.
  if (NAMES_THOUGHTS.test(name)) return { ...marker, mayBeText: isSquare && !isInCapitals }
  return isIn(MAY_NAME_THOUGHTS, name) ? { ...marker, mayBeText: true } : null
}

/** An answer without the pair of markers that encloses all of it. */
const unwrapped = (text: string): string => {
  const marker = markerAtStart(text)
  return marker !== null && isIn(NAMES_ANSWER, marker.name) && text.endsWith(marker.closing)
    ? text.slice(marker.end, text.length - marker.closing.length).trim()
    : text
}

/** Where the marker that closes the thoughts begins. -1: nowhere. */
const closingAt = (text: string, { end, opening, closing }: Marker): number => {
  let depth = 1
  let opens = text.indexOf(opening, end)
  let closes = text.indexOf(closing, end)
  while (closes !== -1) {
    if (opens !== -1 && opens < closes) {
      depth++
      opens = text.indexOf(opening, opens + opening.length)
    } else {
      if (--depth === 0) return closes
      closes = text.indexOf(closing, closes + closing.length)
    }
  }
  return text.lastIndexOf(closing)
}

const HARMONY = /^(?:<\|start\|>assistant)?<\|channel\|>/
const HARMONY_ENDS = ["<|end|>", "<|return|>", "<|call|>", "<|start|>", "<|channel|>"]

/** The channels of a harmony answer, of which only the last `final` is an answer. */
const fromHarmony = (text: string): WithoutThoughts => {
  const thoughts: Array<string> = []
  let answer: string | null = null
  for (const part of text.split("<|channel|>").slice(1)) {
    const message = part.indexOf("<|message|>")
    if (message === -1) continue
    const body = part.slice(message + "<|message|>".length)
    const end = HARMONY_ENDS.map((marker) => body.indexOf(marker)).filter((at) => at !== -1)
    const words = body.slice(0, end.length === 0 ? body.length : Math.min(...end)).trim()
    if (part.trimStart().startsWith("final")) answer = words
    else thoughts.push(words)
  }
  return { text: answer ?? "", thinking: thoughts.join("\n"), isUnfinished: answer === null }
}

/** A harmony answer whose server has removed the control tokens. */
const BARE_FINAL = "assistantfinal"

/** A closing marker on a line of its own: the template has written the opening one into the prompt. */
const LONE_CLOSE = /^[ \t]*(?:<\/|\[\/)[\w:.-]{0,40}(?:think|thought|reason)[\w.-]{0,40}[>\]][ \t]*$/i
const loneClose = (text: string): number => {
  let start = 0
  while (start < text.length) {
    const newline = text.indexOf("\n", start)
    const end = newline === -1 ? text.length : newline
    if (end - start <= MAX_MARKER_CHARS && LONE_CLOSE.test(text.slice(start, end))) return end
    start = end + 1
  }
  return -1
}

/**
 * Removes the thoughts before an answer by their structure: a pair of markers of any name, or a channel. The answer
 * itself is not searched, because a person may read about markers.
 */
export const removeThoughts = (given: string): WithoutThoughts => {
  let text = given.trim()
  const thoughts: Array<string> = []
  if (HARMONY.test(text)) return fromHarmony(text)
  if (text.startsWith("analysis") && text.includes(BARE_FINAL)) {
    const at = text.lastIndexOf(BARE_FINAL)
    return { text: text.slice(at + BARE_FINAL.length).trim(), thinking: text.slice(0, at), isUnfinished: false }
  }
  for (let marker = openingMarker(text); marker !== null; marker = openingMarker(text)) {
    const end = closingAt(text, marker)
    if (end === -1 || end < marker.end) {
      if (marker.mayBeText) break
      return { text: "", thinking: [...thoughts, text.slice(marker.end)].join("\n"), isUnfinished: true }
    }
    thoughts.push(text.slice(marker.end, end).trim())
    text = text.slice(end + marker.closing.length).trim()
  }
  const closed = thoughts.length > 0 || text.startsWith("{") ? -1 : loneClose(text)
  if (closed !== -1) {
    thoughts.push(text.slice(0, closed).trim())
    text = text.slice(closed).trim()
  }
  return { text: unwrapped(text), thinking: thoughts.join("\n"), isUnfinished: false }
}
