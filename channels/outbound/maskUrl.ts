/** A path segment that is a plain word or an API version, and so not a credential. */
const PLAIN_WORD = /^(?:[a-z][a-z_.-]{0,23}|v\d{1,2})$/

/**
 * A URL for display: the origin, and the first segment of the path if it is a plain word. The rest may contain a
 * credential.
 */
export const maskUrl = (url: URL): string => {
  const [first = "", ...rest] = url.pathname.slice(1).split("/")
  const shown = first === "" || PLAIN_WORD.test(first) ? first : "…"
  const path = shown === "…" || rest.length === 0 ? shown : `${shown}/…`
  return `${url.origin}/${path}${url.search === "" ? "" : "?…"}`
}
