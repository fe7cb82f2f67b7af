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
  const room = Math.min(text.length, from + LONGEST)
  END.lastIndex = from + SHORTEST
  const end = END.exec(text.slice(0, room))
  if (end !== null) return END.lastIndex
  if (room === text.length) return room
  const space = text.lastIndexOf(" ", room)
  return space > from + SHORTEST ? space + 1 : room
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
