import type { Metadata } from "sharp"

const MIB = 1024 * 1024
/**
 * Of what a decoder keeps until it has read the last of a picture: beside it there is what is written, which for a WebP
 * is most.
 */
const MOST_BYTES = { jpeg: 128 * MIB, png: 96 * MIB, webp: 64 * MIB }

const FRAMES = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf])
/** Of a coefficient. */
const BYTES = 2

/** Coefficients of a JPEG, by the sampling of the components that its frame names. */
const coefficientsOf = (jpeg: Buffer, pixels: number): number => {
  for (let at = 2; at + 10 <= jpeg.length && jpeg[at] === 0xff;) {
    const marker = jpeg.readUInt8(at + 1)
    // Bytes may fill up before a marker.
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
 * Whether a picture is kept whole while it is read, and is too large for that. A JPEG of several scans is kept as its
 * coefficients and an interlaced PNG as its pixels: each scan adds to all of it. So is a transparent WebP, whose
 * colours and transparency are read one after the other.
 */
export const isTooMuchAtOnce = (
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
  return kept[format]() > MOST_BYTES[format]
}

export const TOO_MUCH_AT_ONCE =
  "is progressive, interlaced or transparent and has too many pixels for that: it would have to be kept whole " +
  "while it is read"
