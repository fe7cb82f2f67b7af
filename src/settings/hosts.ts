import { parseAllowList } from "#channels/outbound/AllowList.ts"
import * as Effect from "effect/Effect"
import { BadSetting, need } from "./checks.ts"

export const checkAllowList = (setting: string, text: string) => {
  const read = parseAllowList(text)
  const bad = "bad" in read ? JSON.stringify(read.bad.slice(0, 80)) : ""
  return need(
    setting,
    "allow" in read ? read.allow : null,
    `must be a comma-separated list of host, host:port or CIDR (such as 10.0.0.0/8). ${bad} is invalid`
  )
}

const HOST = /^(?:\*\.)?(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,62})(?:\.[a-z0-9-]{1,63})*$/
/** Host names. A leading `*.` stands for all subdomains. */
export const checkHosts = (setting: string, text: string) => {
  const names = text
    .split(",")
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== "")
  return need<ReadonlyArray<string>>(
    setting,
    names.every((name) => HOST.test(name)) ? names : null,
    "must be a comma-separated list of hosts such as example.org or *.example.org"
  )
}

/** In place of a list of origins: any. */
export const ANY_ORIGIN = "*"
/** Of apps that show their pages in a web view, such as `capacitor://localhost`. Browsers know their form only. */
const APP_ORIGIN = /^(?!https?:)[a-z][a-z0-9+.-]{0,30}:\/\/[a-z0-9.-]{1,253}(?::\d{1,5})?$/

const WEB_ORIGIN = /^https?:\/\/[a-z0-9.:[\]_-]{1,260}$/

/** Whether a text is an origin as a browser writes it, in the header that it is compared with. */
const isOrigin = (text: string): boolean =>
  (WEB_ORIGIN.test(text) && URL.parse(text)?.origin === text) || APP_ORIGIN.test(text)

/** Exact origins of pages, or any. */
export const checkOrigins = Effect.fnUntraced(function* (setting: string, text: string) {
  const origins = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
  const bad = (problem: string) => new BadSetting({ setting, problem })
  if (origins.includes(ANY_ORIGIN) && origins.length > 1)
    return yield* bad(`must be ${ANY_ORIGIN} alone, or a list of origins without it`)
  for (const [index, origin] of origins.entries())
    if (origin !== ANY_ORIGIN && !isOrigin(origin))
      return yield* bad(
        `entry ${index + 1} must be an origin as browsers send it, such as https://app.example.com: a scheme, a host ` +
          "in lower case (in punycode if it has other letters than a to z) and a port if it is not the usual one. " +
          "There is no path, no slash at the end and no wildcard in it"
      )
  return origins
})
