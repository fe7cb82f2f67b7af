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
const isIn = (names: ReadonlySet<string>, name: string): boolean => names.has(name.toLowerCase().replace(/[-_ ]/g, ""))
/** Names of markup that may stand at the beginning of what a person should read. */
const FORMATS: ReadonlySet<string> = new Set(
  (
    "a abbr b big blockquote br center cite code del div em font h1 h2 h3 h4 h5 h6 i img ins kbd li mark ol p " +
    "pre q s samp small span strike strong sub sup table tgspoiler tt u ul data"
  ).split(" ")
)
const NAME = /^[\p{L}\p{N}_:.-]{1,60}/u

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

/**
 * How sure it is that a marker opens thoughts. `sure`: by its name. `pair`: if it is closed. `apart`: if it is closed,
 * and what follows is not the same sentence.
 */
type Certainty = "sure" | "pair" | "apart"

/** The marker at the start of a text that opens thoughts. */
const openingMarker = (text: string): (Marker & { readonly certainty: Certainty }) | null => {
  const marker = markerAtStart(text)
  if (marker === null) return null
  const { name, isSquare, isInCapitals } = marker
  // A bracketed word in lower case may be a stage direction, such as `[thinking]`.
  if (NAMES_THOUGHTS.test(name)) return { ...marker, certainty: isSquare && !isInCapitals ? "pair" : "sure" }
  if (isIn(MAY_NAME_THOUGHTS, name)) return { ...marker, certainty: "pair" }
  const isText = isIn(NAMES_ANSWER, name) || isIn(FORMATS, name) || (isSquare && !isInCapitals)
  return isText ? null : { ...marker, certainty: "apart" }
}

/** Text that does not go on with the sentence before it: at once, or on another line. */
const isApart = (rest: string): boolean => /^(?:[^\s\p{P}]|\s{0,4}[<{[]|[ \t]{0,8}\n)/u.test(rest) && rest.trim() !== ""

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

/** A closing marker whose opening one the template has written into the prompt. */
const LONE_CLOSE = /(?:<\|?\/|\[\/|◁\/)([\p{L}\p{N}_:.-]{1,60})(?:\|?>|\]|▷)/gu
/** How many markers are looked at. */
const MAX_CLOSES = 20
const QUOTES = new Set("\"'`“”„«»‘’「」*(")
const ENDS_SENTENCE = /[\p{L}\p{N}.!?…。！？)\]"”]$/u
/** How much is looked at on each side of a marker. */
const NEAR = 40

/** Whether a closing marker separates two texts, and is not a word in a sentence. */
const isSeparator = (before: string, after: string): boolean => {
  const [next = ""] = after
  if (QUOTES.has(before.at(-1) ?? "") && QUOTES.has(next)) return false
  if (/^["'`”’,;:.!?)]/.test(after)) return false
  const isOwnLine = /(?:^|\n)[ \t]{0,40}$/.test(before) && /^[ \t]{0,40}(?:\n|$)/.test(after)
  if (isOwnLine || ENDS_SENTENCE.test(before)) return true
  const follows = after.trimStart()
  const isAttached = /^[\p{L}\p{N}]/u.test(after)
  const isNewSentence = /(?:^|[\n.!?…。！？])[ \t]{0,40}$/.test(before) && !/^(?:\p{Ll}|$)/u.test(follows)
  return isAttached || isNewSentence
}

/** Where the plan before an answer ends, and the answer begins. Null: there is no plan. */
const loneClose = (text: string): { readonly end: number; readonly answer: number } | null => {
  let looked = 0
  for (const { 0: marker, 1: name = "", index } of text.matchAll(LONE_CLOSE)) {
    if (++looked > MAX_CLOSES) return null
    if (!NAMES_THOUGHTS.test(name) && !isIn(MAY_NAME_THOUGHTS, name)) continue
    // A pair in the middle of a text is a part of it.
    const isPair = text.slice(0, index).includes(marker.replace("/", "").slice(0, -1))
    const answer = index + marker.length
    const isEnd = isSeparator(text.slice(Math.max(0, index - NEAR), index), text.slice(answer, answer + NEAR))
    if (isEnd && !isPair) return { end: index, answer }
  }
  return null
}

/** A fence at the start of a text whose language is the name of thoughts. */
const FENCE = /^(`{3,8}|~{3,8})[ \t]{0,4}([\p{L}_-]{1,40})[ \t]{0,8}\n/u
const fenced = (
  text: string
): { readonly thoughts: string; readonly rest: string; readonly isOpen: boolean } | null => {
  const [opening, fence = "", name = ""] = FENCE.exec(text) ?? []
  if (opening === undefined || !(NAMES_THOUGHTS.test(name) || isIn(MAY_NAME_THOUGHTS, name))) return null
  let depth = 1
  for (let at = opening.length - 1; at !== -1 && at < text.length; at = text.indexOf("\n", at + 1)) {
    const next = text.indexOf("\n", at + 1)
    const line = text.slice(at + 1, next === -1 ? text.length : next).trim()
    if (!line.startsWith(fence)) continue
    depth += line === fence ? -1 : 1
    if (depth === 0)
      return { thoughts: text.slice(opening.length, at), rest: next === -1 ? "" : text.slice(next), isOpen: false }
  }
  return { thoughts: text.slice(opening.length), rest: "", isOpen: true }
}

/** A label in bold letters, a heading, or a word before a colon at the beginning of a line. */
const LABELS = [/\*\*([\p{L} ]{1,40}):?\*\*:?/gu, /^#{1,6} ([\p{L} ]{1,40}):?[ \t]{0,4}$/gmu, /^([\p{L} ]{1,40}):/gmu]
/** How many labels are looked at. */
const MAX_LABELS = 50
const labelsIn = (text: string, pattern: RegExp): ReadonlyArray<RegExpExecArray> => {
  const found: Array<RegExpExecArray> = []
  for (const label of text.matchAll(pattern)) {
    if (label.index !== 0 && found.length === 0) break
    if (found.push(label) === MAX_LABELS) break
  }
  return found
}
/** A text in two parts, of which the label of the first names thoughts, and the label of the last an answer. */
const labelled = (text: string): { readonly thoughts: string; readonly rest: string } | null => {
  for (const pattern of LABELS) {
    const [first, ...others] = labelsIn(text, pattern)
    if (first === undefined) continue
    const [, name = ""] = first
    if (!NAMES_THOUGHTS.test(name) && !isIn(MAY_NAME_THOUGHTS, name)) continue
    const last = others.findLast(([, label = ""]) => isIn(NAMES_ANSWER, label))
    if (last !== undefined)
      return {
        thoughts: text.slice(first[0].length, last.index).trim(),
        rest: text.slice(last.index + last[0].length).trim()
      }
  }
  return null
}

/** An answer without the pair of markers that encloses all of it. */
const unwrapped = (text: string): string => {
  const marker = markerAtStart(text)
  return marker !== null && isIn(NAMES_ANSWER, marker.name) && text.endsWith(marker.closing)
    ? text.slice(marker.end, text.length - marker.closing.length).trim()
    : text
}

/** What templates write after an answer: a control token, or one of the old names. */
const END_TOKEN = /(?:<[|｜][^\s<>|｜]{1,40}[|｜]>|<\/s>|<eos>|<end_of_turn>|\[\/INST\])$/
const MAX_END_TOKEN_CHARS = 50
/** How many of them are removed. */
const MAX_END_TOKENS = 10
/** An answer without the markers that enclose all of it, and without the tokens at its end. */
const bare = (given: string): string => {
  let text = unwrapped(given.replace(/^(?:<\|im_start\|>|<start_of_turn>)(?:assistant|model)\s/, ""))
  for (let removed = 0; removed < MAX_END_TOKENS; removed++) {
    const tail = text.slice(-MAX_END_TOKEN_CHARS)
    const [token] = END_TOKEN.exec(tail) ?? []
    if (token === undefined) return text
    const before = text.slice(0, -token.length)
    // A token that is the last word of a sentence is a part of it.
    if (/[^\s.!?…。！？\p{S}"”)}\]>][ \t]{1,8}$/u.test(before.slice(-NEAR))) return text
    text = unwrapped(before.trimEnd())
  }
  return text
}

/** How many pairs of markers may stand before an answer. */
const MAX_PAIRS = 50

/**
 * Removes the thoughts before an answer by their structure: a pair of markers of any name, a fence, a label, a channel.
 * The answer itself is not searched, because a person may read about markers.
 */
export const removeThoughts = (given: string): WithoutThoughts => {
  let text = given.trim()
  const thoughts: Array<string> = []
  const unfinished = (rest: string) => ({ text: "", thinking: [...thoughts, rest].join("\n"), isUnfinished: true })
  if (HARMONY.test(text)) return fromHarmony(text)
  if (text.startsWith("analysis") && text.includes(BARE_FINAL)) {
    const at = text.lastIndexOf(BARE_FINAL)
    return { text: text.slice(at + BARE_FINAL.length).trim(), thinking: text.slice(0, at), isUnfinished: false }
  }
  for (let pairs = 0; pairs < MAX_PAIRS; pairs++) {
    const marker = openingMarker(text)
    if (marker === null) break
    const end = closingAt(text, marker)
    if (end === -1 || end < marker.end) {
      if (marker.certainty !== "sure") break
      return unfinished(text.slice(marker.end))
    }
    const rest = text.slice(end + marker.closing.length)
    if (marker.certainty === "apart" && !isApart(rest)) break
    thoughts.push(text.slice(marker.end, end).trim())
    text = rest.trim()
  }
  const inFence = fenced(text)
  if (inFence?.isOpen === true) return unfinished(inFence.thoughts)
  const before = inFence ?? labelled(text)
  if (before !== null) {
    thoughts.push(before.thoughts.trim())
    text = before.rest.trim()
  }
  const closed = thoughts.length > 0 || text.startsWith("{") ? null : loneClose(text)
  if (closed !== null) {
    thoughts.push(text.slice(0, closed.end).trim())
    text = text.slice(closed.answer).trim()
  }
  return { text: bare(text), thinking: thoughts.join("\n"), isUnfinished: false }
}
