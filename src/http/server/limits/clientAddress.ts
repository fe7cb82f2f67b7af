import { isIP } from "node:net"

/** The first groups of 16 bits. */
const networkOf = (ip: string, groupCount: number): string => {
  const [before = "", after] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split("::")
  const groups = (part: string) => (part === "" ? [] : part.split(":"))
  const rest = after === undefined ? [] : groups(after)
  const missing = after === undefined ? 0 : 8 - groups(before).length - rest.length
  return [...groups(before), ...Array<string>(missing).fill("0"), ...rest].slice(0, groupCount).join(":")
}

const bareOf = (ip: string): string => ip.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/s, "")

/**
 * The key for counting callers without an API key: an IPv4 address, or the /64 of an IPv6 address, which is what a
 * customer usually gets.
 */
export const clientAddress = (ip: string): string => {
  const bare = bareOf(ip)
  return isIP(bare) === 6 ? networkOf(bare, 4) : isIP(bare) === 4 ? bare : "unknown"
}

/** The /48 of an IPv6 address, which is what a site usually gets. Null: it is not IPv6. */
export const clientSite = (ip: string): string | null => {
  const bare = bareOf(ip)
  return isIP(bare) === 6 ? networkOf(bare, 3) : null
}
