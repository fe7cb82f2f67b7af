/** Where words stand between quotation marks. */

export interface Span {
  readonly start: number
  readonly end: number
}

/** Closing marks by opening mark. */
const PAIRS: Readonly<Record<string, string>> = {
  "“": '”“"',
  "„": '“”"',
  "«": "»",
  "»": "«",
  "‹": "›",
  "›": "‹",
  "「": "」",
  "『": "』",
  '"': '"”',
  "'": "'’",
  "‘": "’'",
  "‚": "‘’'",
  "`": "`"
}
const LETTER = /[\p{L}\p{N}]/u
/** Marks that are apostrophes between letters. */
const APOSTROPHES = new Set(["'", "’", "‘", "`"])

const opens = (text: string, at: number): boolean => {
  const before = text[at - 1] ?? " "
  const after = text[at + 1] ?? " "
  if (/\s/.test(after)) return text[at] === "«" && /\s/.test(before)
  return !LETTER.test(before) && before !== "."
}

const closes = (text: string, at: number): boolean =>
  !APOSTROPHES.has(text[at] ?? "") || (!/\s/.test(text[at - 1] ?? " ") && !LETTER.test(text[at + 1] ?? " "))

/** The places of closing marks, by mark. */
const closingIn = (text: string): ReadonlyMap<string, ReadonlyArray<number>> =>
  Map.groupBy(
    Array.from(text.matchAll(/["'“”«»‹›」』‘’`]/g), ({ index }) => index).filter((at) => closes(text, at)),
    (at) => text[at] ?? ""
  )

/** The outermost quotations of a text, with their marks. Quotations that are never closed end with their paragraph. */
export const quotationsIn = (text: string): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  const closing = closingIn(text)
  const next = new Map<string, number>()
  const after = (mark: string, from: number): number => {
    const places = closing.get(mark) ?? []
    let n = next.get(mark) ?? 0
    while (n < places.length && (places[n] ?? 0) <= from) n += 1
    next.set(mark, n)
    return places[n] ?? -1
  }
  for (let at = 0; at < text.length; at += 1) {
    const marks = PAIRS[text[at] ?? ""]
    if (marks === undefined || !opens(text, at)) continue
    const ends = [...marks].map((mark) => after(mark, at + 1)).filter((end) => end > 0)
    const paragraph = text.indexOf("\n\n", at)
    if (ends.length > 0) spans.push({ start: at, end: Math.min(...ends) + 1 })
    else if (/:\s*$/.test(text.slice(Math.max(0, at - 4), at)))
      spans.push({ start: at, end: paragraph < 0 ? text.length : paragraph })
    else continue
    at = (spans.at(-1)?.end ?? at) - 1
  }
  return spans
}
