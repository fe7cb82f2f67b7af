import type { FastifyRequest } from "fastify"

const CONSOLE = "/console"
const MAX_CHARACTERS = 1000

/** Whether a browser takes the path as it is written. It resolves `..` and `%2e%2e`, which may lead elsewhere. */
const hasNoDots = (text: string): boolean => {
  const [path = ""] = text.split(/[?#]/)
  return URL.parse(text, "http://_")?.pathname === path
}

/** A page of the console from a link or a form. Anything else, such as another site, becomes the first page. */
export const consolePath = (text: unknown): string =>
  typeof text === "string" &&
  text.length <= MAX_CHARACTERS &&
  /^\/console(?:[/?][\x21-\x7e]*)?$/.test(text) &&
  hasNoDots(text) &&
  !text.startsWith("/console/sign-")
    ? text
    : CONSOLE

/** The code in the URL of a console link. */
const codeOf = (url: string): string | null => {
  const [path, query = ""] = url.split("?", 2)
  return path === CONSOLE ? new URLSearchParams(query).get("code") : null
}

/** Whether the request is for a console link, such as `/console?code=oc_...`. */
export const isConsoleLink = ({ url }: FastifyRequest): boolean => codeOf(url) !== null

/**
 * Where a browser that asked for a page of the console signs in first. It returns there afterwards. The code of a
 * console link is redeemed there, too.
 */
export const signInUrl = ({ url, method }: FastifyRequest): string => {
  const code = codeOf(url)
  if (code !== null) return `/console/sign-in?code=${encodeURIComponent(code)}`
  return method === "GET" ? `/console/sign-in?next=${encodeURIComponent(consolePath(url))}` : "/console/sign-in"
}
