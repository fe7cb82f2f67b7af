/** A path segment that is a word or the version of an API, and so no credential. */
const PLAIN_WORD = /^(?:[a-z][a-z_.-]{0,23}|v\d{1,2})$/

/**
 * An address as people may see it: the origin, and the first segment of the path where it is a plain word. What follows
 * may hold a credential.
 */
export const maskUrl = (url: URL): string => {
  const [first = "", ...rest] = url.pathname.slice(1).split("/")
  const shown = first === "" || PLAIN_WORD.test(first) ? first : "…"
  const path = shown === "…" || rest.length === 0 ? shown : `${shown}/…`
  return `${url.origin}/${path}${url.search === "" ? "" : "?…"}`
}
