/** How much of a longer text is read at each end, in characters. */
const ENDS = 2_500
/** How much is read before and after a signal word in the middle. */
const AROUND = 120
const MAX_PLACES = 8
/** The maximum length of accepted messages. */
const LONGEST = 64_000

/** Word stems that most alarms contain, in the languages that have tables, typed with and without accents. */
const TELLING =
  /suic|selbstm|kill|unaliv|\bkms\b|\bdie\b|\bdead\b|dying|overdos|pills|hang myself|hurt myself|cut myself|umbring|sterben|\btot\b|mich töten|leben nehmen|mat(?:ar|o|e)[- ]?me|me mat|morir|morrer|quitarme|no quiero vivir|viver|muert|\bmort[ao]\b|breathe|raped/giu

/**
 * What the rules read of a text: all of it up to 5,000 characters. For longer texts, both ends, and in between the
 * surroundings of up to eight signal words. The parts are separated as paragraphs.
 */
export const excerptOf = (given: string): string => {
  if (given.length <= ENDS * 2) return given
  const middle = given.slice(ENDS, Math.min(given.length - ENDS, LONGEST))
  const parts = [given.slice(0, ENDS)]
  let until = 0
  for (const { index } of middle.matchAll(TELLING)) {
    if (index < until) continue
    if (parts.length > MAX_PLACES) break
    until = index + AROUND
    const start = Math.max(0, index - AROUND)
    const space = middle.indexOf(" ", start)
    parts.push(middle.slice(space !== -1 && space < index ? space : start, until))
  }
  return [...parts, given.slice(-ENDS)].join("\n\n")
}
