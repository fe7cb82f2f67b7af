import type { Cost, RouteLimit } from "#src/http/server/limits/Cost.ts"

const CALLERS: Record<RouteLimit["per"], string> = {
  address: "address",
  site: "IPv6 site",
  fingerprint: "client fingerprint (user agent, languages and wider network)",
  account: "account"
}

const windowText = ({ most, per, windowSeconds }: RouteLimit): string =>
  `${most === undefined ? "a few" : `${most}`} in ${windowSeconds / 60} minutes for each ${CALLERS[per]}`

/** The cost of a route as sentences. Empty for a route that costs one request. */
export const describeCost = ({ requests, messages, reads, rolling, pays }: Cost): string =>
  [
    requests === 0 ? "Requests are not counted." : "",
    messages === undefined ? "" : "Takes one of the `messages` per minute.",
    reads === undefined ? "" : "Counts as an open read while it waits or streams.",
    rolling === undefined ? "" : `Limited to ${rolling.map(windowText).join(", and ")}.`,
    pays === undefined ? "" : `Pays for ${pays} from the budget of the app.`
  ]
    .filter((sentence) => sentence !== "")
    .join(" ")
