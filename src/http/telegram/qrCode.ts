import { encodeQR } from "qr"

/** The margin that readers need on each side, in modules. */
const QUIET_ZONE = 4

/** A text as a QR code, black on white on any page: an SVG picture as a data URI. */
export const qrCode = (text: string): string => {
  const rows = encodeQR(text, "raw", { ecc: "medium", border: QUIET_ZONE })
  const dark = rows.flatMap((row, y) =>
    Array.from(
      row.map(Number).join("").matchAll(/1+/g),
      ({ 0: run, index }) => `M${index} ${y}h${run.length}v1h-${run.length}z`
    )
  )
  const size = rows.length
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" ` +
    `shape-rendering="crispEdges"><path ` +
    `fill="#fff" d="M0 0h${size}v${size}h-${size}z"/><path d="${dark.join("")}"/></svg>`
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`
}
