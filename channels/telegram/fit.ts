import { cutsOf } from "#pipeline/emission/cuts.ts"

const ENDED = /[.!?…。！？]["'”’)]*$/

/** A text in a field that takes so many UTF-16 units: it ends with a sentence, or shows that it does not. */
export const fit = (text: string, most: number): string => {
  if (text.length <= most) return text
  const kept = text.slice(0, cutsOf(text, most - 1).after(0)).trimEnd()
  return ENDED.test(kept) ? kept : `${kept}…`
}
