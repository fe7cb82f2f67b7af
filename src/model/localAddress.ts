import { isIP } from "node:net"
import { isPublic, target } from "#channels/outbound/Target.ts"

/** Host names that only resolve on this machine or on a private network. */
const LOCAL_NAMES = [".localhost", ".local", ".internal", ".lan", ".home.arpa"]

/**
 * Whether a URL points to this machine or a private network, judged by the host as written, without DNS. A name without
 * a dot is a container or a machine on the local network.
 */
export const isLocalUrl = (url: string): boolean => {
  const { hostname, port, protocol } = new URL(url)
  const { host } = target(hostname, port, protocol)
  if (isIP(host) !== 0) return !isPublic(host)
  return !host.includes(".") || LOCAL_NAMES.some((ending) => host.endsWith(ending))
}
