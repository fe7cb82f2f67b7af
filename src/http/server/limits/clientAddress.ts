import { isIP } from "node:net"

/** The first groups of 16 bits. */
const networkOf = (ip: string, groupCount: number): string => {
  const [before = "", after] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split("::")
  const groups = (part: string) => (part === "" ? [] : part.split(":"))
  const rest = after === undefined ? [] : groups(after)
  const missing = after === undefined ? 0 : 8 - groups(before).length - rest.length
  return [...groups(before), ...Array<string>(missing).fill("0"), ...rest].slice(0, groupCount).join(":")
}

/** The system shows IPv4 addresses as IPv6 if it listens on both. A proxy may write them as `::ffff:c000:201`. */
const MAPPED = "0:0:0:0:0:ffff:"
const plainOf = (ip: string): string => {
  const whole = networkOf(ip, 8)
  if (!whole.startsWith(MAPPED)) return new URL(`http://[${ip}]`).hostname.slice(1, -1)
  const groups = whole.slice(MAPPED.length).split(":")
  return groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]).join(".")
}

/** Some proxies also append the port of their caller: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const IN_BRACKETS = /^\[([^\]]*)\](?::\d+)?$/
const IPV4_WITH_PORT = /^([\d.]+):\d+$/
/** What is no address is only shown. */
const MAX_CHARACTERS = 100

/** An address in one form, however the system or a proxy writes it. Anything else stays what it is. */
export const bareAddress = (ip: string): string => {
  const bare = ((IN_BRACKETS.exec(ip) ?? IPV4_WITH_PORT.exec(ip))?.[1] ?? ip).replace(/%.*$/s, "")
  return isIP(bare) === 6 ? plainOf(bare) : isIP(bare) === 4 ? bare : ip.slice(0, MAX_CHARACTERS)
}

/**
 * The key for counting callers without an API key: an IPv4 address, or the /64 of an IPv6 address, which is what a
 * customer usually gets.
 */
export const clientAddress = (ip: string): string => {
  const bare = bareAddress(ip)
  return isIP(bare) === 6 ? networkOf(bare, 4) : isIP(bare) === 4 ? bare : "unknown"
}

/** The /48 of an IPv6 address, which is what a site usually gets. Null: it is not IPv6. */
export const clientSite = (ip: string): string | null => {
  const bare = bareAddress(ip)
  return isIP(bare) === 6 ? networkOf(bare, 3) : null
}
