import ipaddr from "ipaddr.js"
import { isIP } from "node:net"
import { type AllowList, allowsAddress, allowsHost } from "./AllowList.ts"

/** Where a connection is to go: the host as a name or an address, without brackets and without a last dot. */
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
 * Whether an address is one of the internet at large. What only wraps an IPv4 address (mapped, NAT64, 6to4, Teredo) is
 * not, for it may wrap any.
 */
export const isPublic = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== "unicast") return false
  return parsed instanceof ipaddr.IPv4 || (parsed.match(GLOBAL_IPV6) && !parsed.match(DOCUMENTATION_IPV6))
}

/** Whether this very address may be dialled: a public one over TLS, or whatever the operator excepts. */
export const permits = (allow: AllowList, { host, port, secure }: Target, address: string): boolean =>
  (secure && isPublic(address)) ||
  allowsHost(allow, host, port) ||
  (ipaddr.isValid(address) && allowsAddress(allow, address, port))

/**
 * The addresses that a host stands for without asking anybody; null: it takes a look-up. `localhost` is this machine,
 * whatever a name server says.
 */
export const ownAddresses = (host: string): ReadonlyArray<string> | null => {
  if (isIP(host) !== 0) return [host]
  return host === "localhost" || host.endsWith(".localhost") ? ["127.0.0.1"] : null
}
