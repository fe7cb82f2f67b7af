/** The picture type according to the bytes themselves, or why the file is not accepted. */
export type PictureType = { readonly format: "png" | "jpeg" | "webp" } | { readonly problem: string }

const starts = (bytes: Buffer, signature: ReadonlyArray<number>) => signature.every((byte, at) => bytes[at] === byte)
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
/** The types of chunks as numbers: a file may have hundreds of thousands of chunks. */
const ANIMATION = 0x6163544c
const END = 0x49454e44
const JPEG = [0xff, 0xd8, 0xff]

const cutOff = { problem: "The picture is truncated." }
const followed = { problem: "The picture has trailing data." }
const animated = { problem: "Animated pictures are not accepted." }
const unknown = { problem: "This is not a PNG, JPEG or WebP picture." }

/** A chunk is its length, its type, that many bytes and a checksum. */
const pngOf = (bytes: Buffer): PictureType => {
  for (let at = PNG.length; at + 12 <= bytes.length;) {
    const type = bytes.readUInt32BE(at + 4)
    at += 12 + bytes.readUInt32BE(at)
    if (at > bytes.length) return cutOff
    if (type === ANIMATION) return animated
    if (type === END) return at === bytes.length ? { format: "png" } : followed
  }
  return cutOff
}

const jpegOf = (bytes: Buffer): PictureType =>
  bytes.readUInt16BE(bytes.length - 2) === 0xffd9
    ? { format: "jpeg" }
    : { problem: "The picture is truncated, or has trailing data." }

const VP8X_FLAGS = 20
const webpOf = (bytes: Buffer): PictureType => {
  const end = bytes.readUInt32LE(4) + 8
  if (bytes.length < end) return cutOff
  if (bytes.length > end) return followed
  return bytes.toString("latin1", 12, 16) === "VP8X" && ((bytes[VP8X_FLAGS] ?? 0) & 2) !== 0
    ? animated
    : { format: "webp" }
}

export const readType = (bytes: Buffer): PictureType => {
  if (bytes.length < 16) return unknown
  if (starts(bytes, PNG)) return pngOf(bytes)
  if (starts(bytes, JPEG)) return jpegOf(bytes)
  return bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP"
    ? webpOf(bytes)
    : unknown
}
