import { deflateSync, crc32 } from "node:zlib"
import sharp from "sharp"

/** A picture of one colour, as an ordinary program writes it. */
export const pictureOf = (format: "png" | "jpeg" | "webp" | "gif" | "tiff", width = 40, height = 30): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: { r: 200, g: 120, b: 40 } } })
    .toFormat(format)
    .toBuffer()

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}
const int = (...values: ReadonlyArray<number>) => {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, at) => bytes.writeUInt32BE(value, at * 4))
  return bytes
}

/** A PNG built from chunks: `rows` bytes of pixels regardless of its header, and the chunks before them. */
export const craftPng = ({
  width,
  height,
  rows = (1 + width * 3) * height,
  before = []
}: {
  readonly width: number
  readonly height: number
  readonly rows?: number
  readonly before?: ReadonlyArray<readonly [string, Buffer]>
}): Buffer =>
  Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", Buffer.concat([int(width, height), Buffer.from([8, 2, 0, 0, 0])])),
    ...before.map(([type, data]) => chunk(type, data)),
    chunk("IDAT", deflateSync(Buffer.alloc(rows), { level: 9 })),
    chunk("IEND", Buffer.alloc(0))
  ])

/** The chunk that makes a PNG animated, with this many frames, none of which has to exist. */
export const movingPng = (frames: number): Buffer =>
  craftPng({ width: 16, height: 16, before: [["acTL", int(frames, 0)]] })
