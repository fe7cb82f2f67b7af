const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPENING_BRACKET = 0x5b
const OPENING_BRACE = 0x7b

/** The end of a longer text is searched with `indexOf`, which is faster per byte, but takes longer to call. */
const NEAR_BYTES = 16

/** Where the text that starts before `from` has its closing quote, or the length of the JSON. */
const closingQuote = (json: Uint8Array, from: number): number => {
  let at = from
  while (at < json.length) {
    for (const near = at + NEAR_BYTES; at < near; at++) {
      if (json[at] === QUOTE) return at
      if (json[at] === BACKSLASH) at++
    }
    const quote = json.indexOf(QUOTE, at)
    if (quote === -1) return json.length
    let unescaped = quote
    while (unescaped > at && json[unescaped - 1] === BACKSLASH) unescaped--
    if ((quote - unescaped) % 2 === 0) return quote
    at = quote + 1
  }
  return json.length
}

/**
 * An upper bound for the number of values in a JSON text. A value of two characters takes far more memory once parsed.
 */
export const countJsonValues = (json: Uint8Array): number => {
  const { length } = json
  let count = 1
  for (let at = 0; at < length; at++) {
    const byte = json[at]
    if (byte === COMMA || byte === OPENING_BRACKET || byte === OPENING_BRACE) count++
    else if (byte === QUOTE) at = closingQuote(json, at + 1)
  }
  return count
}
