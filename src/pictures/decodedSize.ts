import type { Metadata } from "sharp"

const MIB = 1024 * 1024
/** Memory limits for decoders that keep a whole picture. The output needs memory as well, most of all for WebP. */
const MAX_BYTES = { jpeg: 128 * MIB, png: 96 * MIB, webp: 64 * MIB }

const FRAMES = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf])
/** Bytes per coefficient. */
const BYTES = 2

/** The number of coefficients of a JPEG, from the sampling factors in its frame header. */
const coefficientsOf = (jpeg: Buffer, pixels: number): number => {
  for (let at = 2; at + 10 <= jpeg.length && jpeg[at] === 0xff;) {
    const marker = jpeg.readUInt8(at + 1)
    // Fill bytes may precede a marker.
    if (marker === 0xff) at++
    else if (FRAMES.has(marker)) {
      const sampling = Array.from({ length: jpeg.readUInt8(at + 9) }, (_, n) => jpeg[at + 11 + 3 * n] ?? 0x11).map(
        (factors) => [factors >> 4, factors & 15] as const
      )
      const most = Math.max(...sampling.map(([across]) => across)) * Math.max(...sampling.map(([, down]) => down))
      return sampling.reduce((sum, [across, down]) => sum + (pixels * across * down) / most, 0)
    } else at += 2 + jpeg.readUInt16BE(at + 2)
  }
  return Number.POSITIVE_INFINITY
}

type Header = Pick<Metadata, "isProgressive" | "width" | "height" | "channels" | "depth" | "hasAlpha">

/**
 * Whether decoding keeps the whole picture in memory and it is too large for that. This applies to JPEGs with several
 * scans (kept as coefficients) and interlaced PNGs (kept as pixels), because each scan refines the whole picture. It
 * also applies to transparent WebPs, which store colours and transparency one after the other.
 */
export const exceedsDecodedLimit = (
  bytes: Buffer,
  format: "jpeg" | "png" | "webp",
  { isProgressive, width, height, channels, depth, hasAlpha }: Header
): boolean => {
  const pixels = width * height
  const kept = {
    jpeg: () => (isProgressive ? coefficientsOf(bytes, pixels) * BYTES : 0),
    png: () => (isProgressive ? pixels * channels * (depth === "ushort" ? 2 : 1) : 0),
    webp: () => (hasAlpha ? pixels * channels : 0)
  }
  return kept[format]() > MAX_BYTES[format]
}

export const DECODED_TOO_LARGE =
  "is progressive, interlaced or transparent and has too many pixels for that: it would have to be kept whole " +
  "while it is read"
