import ipaddr from "ipaddr.js"
import { isIP } from "node:net"
import { type AllowList, allowsAddress, allowsHost } from "./AllowList.ts"

/** The target of a connection: the host as a name or an address, without brackets and trailing dot. */
export interface Target {
  readonly host: string
  readonly port: number
  readonly secure: boolean
}

export const target = (hostname: string, port: string, protocol: string): Target => {
  const secure = protocol === "https:"
  return {
    host: hostname
      .toLowerCase()
      .replace(/^\[(.*)\]$/, "$1")
      .replace(/(?<!\.)\.+$/, ""),
    port: Number(port || (secure ? 443 : 80)),
    secure
  }
}

const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3")
const DOCUMENTATION_IPV6 = ipaddr.IPv6.parseCIDR("3fff::/20")

/**
 * Whether an address is a public internet address. Addresses that embed an IPv4 address (mapped, NAT64, 6to4, Teredo)
 * are not, because they may embed any.
 */
export const isPublic = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== "unicast") return false
  return parsed instanceof ipaddr.IPv4 || (parsed.match(GLOBAL_IPV6) && !parsed.match(DOCUMENTATION_IPV6))
}

/** Whether this address may be connected to: a public one over TLS, or one that the operator allows. */
export const permits = (allow: AllowList, { host, port, secure }: Target, address: string): boolean =>
  (secure && isPublic(address)) ||
  allowsHost(allow, host, port) ||
  (ipaddr.isValid(address) && allowsAddress(allow, address, port))

/**
 * The addresses of a host that needs no look-up. Null: it needs one. `localhost` is this machine, whatever a name
 * server says.
 */
export const ownAddresses = (host: string): ReadonlyArray<string> | null => {
  if (isIP(host) !== 0) return [host]
  return host === "localhost" || host.endsWith(".localhost") ? ["127.0.0.1"] : null
}
