/** The types of a PNG's chunks of text: tEXt, zTXt, iTXt. */
const TEXTS: ReadonlySet<number> = new Set([0x74455874, 0x7a545874, 0x69545874])
const SIGNATURE_BYTES = 8

/**
 * A PNG without its texts. A decoder would unpack all of them, and half a megabyte can become gigabytes. For a file
 * that readType accepts.
 */
export const withoutTexts = (png: Buffer): Buffer => {
  const kept: Array<Buffer> = []
  let from = 0
  for (let at = SIGNATURE_BYTES; at + 12 <= png.length;) {
    const end = at + 12 + png.readUInt32BE(at)
    if (TEXTS.has(png.readUInt32BE(at + 4))) {
      if (at > from) kept.push(png.subarray(from, at))
      from = end
    }
    at = end
  }
  return from === 0 ? png : Buffer.concat([...kept, png.subarray(from)])
}
