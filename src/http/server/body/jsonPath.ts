const MAXIMUM_SEGMENTS = 16
const MAXIMUM_KEY = 64

const member = (key: string): string => {
  const short = key.length > MAXIMUM_KEY ? `${key.slice(0, MAXIMUM_KEY)}...` : key
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${short}` : `[${JSON.stringify(short)}]`
}

/**
 * A path such as `voice_samples[2].text`, with a bounded number of printable characters. Keys come from the caller, so
 * JSON.stringify escapes what cannot be stored or shown.
 */
export const jsonPath = (segments: ReadonlyArray<PropertyKey>, root = ""): string => {
  const shown = segments
    .slice(0, MAXIMUM_SEGMENTS)
    .map((segment) => (typeof segment === "number" ? `[${segment}]` : member(String(segment))))
  const path = root + shown.join("") + (segments.length > MAXIMUM_SEGMENTS ? "..." : "")
  return path.startsWith(".") ? path.slice(1) : path
}
