const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b])

/**
 * An upper bound for the number of values in a JSON text. A value of two characters takes far more memory once parsed.
 */
export const countJsonValues = (json: Uint8Array): number => {
  let count = 1
  let inText = false
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] ?? 0
    if (inText) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) inText = false
    } else if (byte === QUOTE) inText = true
    else if (byte === COMMA || OPENING.has(byte)) count++
  }
  return count
}
