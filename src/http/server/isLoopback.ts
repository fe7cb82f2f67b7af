import { isIPv6 } from "node:net"
import { LOOPBACK } from "#src/accounts/isOnlyHere.ts"

/** Whether an address that is listened on, or the `Host` of a request, is this machine under its own name. */
export const isLoopback = (host: string): boolean =>
  LOOPBACK.has(URL.parse(`http://${isIPv6(host) ? `[${host}]` : host}`)?.hostname ?? "")

/**
 * Whether a request to a listener that only this machine reaches is for this machine. A page of another site can make
 * the name of its site lead here: the browser then lets it read the answers, and sends that name as the host. Browsers
 * always send one.
 */
export const isForThisMachine = (host: string | undefined): boolean => host === undefined || isLoopback(host)
