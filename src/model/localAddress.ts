import { isIP } from "node:net"
import { isPublic, target } from "#channels/outbound/Target.ts"

/** Names that are only known on this machine or on a private network. */
const LOCAL_NAMES = [".localhost", ".local", ".internal", ".lan", ".home.arpa"]

/**
 * Whether a URL leads to this machine or a private network, by its host as it is written: no name is looked up.
 * A name without a dot is that of a container or a machine next door.
 */
export const isLocalUrl = (url: string): boolean => {
  const { hostname, port, protocol } = new URL(url)
  const { host } = target(hostname, port, protocol)
  if (isIP(host) !== 0) return !isPublic(host)
  return !host.includes(".") || LOCAL_NAMES.some((ending) => host.endsWith(ending))
}
