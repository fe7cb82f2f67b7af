import { cutsOf } from "#pipeline/emission/cuts.ts"

const ENDED = /[.!?…。！？]["'”’)]*$/

/** Fits a text into a field of this many UTF-16 units. It ends with a sentence, or with an ellipsis. */
export const fit = (text: string, most: number): string => {
  if (text.length <= most) return text
  const kept = text.slice(0, cutsOf(text, most - 1).after(0)).trimEnd()
  return ENDED.test(kept) ? kept : `${kept}…`
}
