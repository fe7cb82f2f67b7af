import { isIP } from "node:net"

/** The first 64 bits, which is what one customer of a network has to itself. */
const networkOf = (ip: string): string => {
  const [before = "", after] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split("::")
  const groups = (part: string) => part === "" ? [] : part.split(":")
  const rest = after === undefined ? [] : groups(after)
  const missing = after === undefined ? 0 : 8 - groups(before).length - rest.length
  return [...groups(before), ...Array<string>(missing).fill("0"), ...rest].slice(0, 4).join(":")
}

/** By what a caller without a key is counted: an IPv4 address, or the network of an IPv6 one. */
export const clientAddress = (ip: string): string => {
  const bare = ip.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "")
  return isIP(bare) === 6 ? networkOf(bare) : isIP(bare) === 4 ? bare : "unknown"
}
