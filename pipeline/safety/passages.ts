/** A part of a text, from sentence to sentence where these are short enough. */
export interface Passage {
  readonly from: number
  readonly to: number
}

const SHORTEST = 80
const LONGEST = 240
/** Where a passage may end: after a sentence or a line. */
const END = /[.!?…]\s|\n/g

const endAfter = (text: string, from: number): number => {
  const start = from + SHORTEST
  const room = Math.min(text.length, from + LONGEST)
  END.lastIndex = 0
  if (END.exec(text.slice(start, room)) !== null) return start + END.lastIndex
  if (room === text.length) return room
  const space = text.slice(start + 1, room + 1).lastIndexOf(" ")
  return space === -1 ? room : start + 1 + space + 1
}

/** A text cut into passages of 80 to 240 characters. */
export const passagesOf = (text: string): ReadonlyArray<Passage> => {
  const passages: Array<Passage> = []
  for (let from = 0; from < text.length;) {
    const to = endAfter(text, from)
    passages.push({ from, to })
    from = to
  }
  return passages
}
