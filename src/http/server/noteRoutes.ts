import { distance, mostWrong } from "./nearest.ts"
import type { App } from "./Server.ts"

interface Pattern {
  readonly path: string
  readonly segments: ReadonlyArray<string>
  readonly methods: Set<string>
}

/** The routes that were added to a server. */
export interface KnownRoutes {
  /** The methods that a path supports. */
  readonly methodsOf: (url: string) => ReadonlyArray<string>
  /** The route that was probably meant, such as `/v1/sessions/{session_id} (GET)`. Undefined: none is near. */
  readonly meantBy: (url: string) => string | undefined
}

/** Longer paths are not typos of ours. It bounds the work for paths from outside. */
const MAX_PATH = 200
/** Letters of a path that may be wrong in all. */
const MAX_WRONG = 3
/** What people call with a program. Screens and pages have their own way back. */
const CALLED = /^\/(?:v1\/|admin\/|healthz$|readyz$|metrics$|openapi\.json$|llms)/

const segmentsOf = (path: string): ReadonlyArray<string> => path.split("/")
const pathOf = (url: string): string => url.split("?", 1)[0] ?? ""

const matches = (pattern: ReadonlyArray<string>, path: ReadonlyArray<string>): boolean =>
  (pattern.at(-1) === "*" ? path.length >= pattern.length : path.length === pattern.length) &&
  pattern.every((segment, at) => segment === "*" || (segment.startsWith(":") ? path[at] !== "" : segment === path[at]))

/** How many letters of a path are wrong for a pattern. Infinity: it is not meant. */
const wrongFor = (pattern: ReadonlyArray<string>, path: ReadonlyArray<string>): number => {
  if (pattern.length !== path.length) return Infinity
  let wrong = 0
  for (const [at, segment] of pattern.entries()) {
    const given = path[at] ?? ""
    if (segment.startsWith(":")) {
      if (given === "") return Infinity
    } else wrong += distance(given.toLowerCase(), segment, mostWrong(segment))
    if (wrong > MAX_WRONG) return Infinity
  }
  return wrong
}

const shownAs = ({ path, methods }: Pattern): string =>
  `${path.replaceAll(/:(\w+)/g, "{$1}")} (${[...methods]
    .filter((method) => method !== "HEAD")
    .toSorted()
    .join(", ")})`

/**
 * Records the routes that are added to a server. Each method has its own routing tree, so the methods of a path are the
 * union over all matching patterns. Call it before adding routes.
 */
export const noteRoutes = (app: App): KnownRoutes => {
  const patterns = new Map<string, Pattern>()
  app.addHook("onRoute", ({ method, url }) => {
    const known = patterns.get(url) ?? { path: url, segments: segmentsOf(url), methods: new Set<string>() }
    for (const each of [method].flat()) known.methods.add(each)
    patterns.set(url, known)
  })
  return {
    methodsOf: (url) => {
      const path = segmentsOf(pathOf(url))
      const all = Array.from(patterns.values())
        .filter(({ segments }) => matches(segments, path))
        .flatMap(({ methods }) => Array.from(methods))
      return [...new Set(all)].toSorted()
    },
    meantBy: (url) => {
      const path = pathOf(url)
      if (path.length > MAX_PATH) return undefined
      const given = path.replace(/\/$/, "")
      const ways = [given, `/v1${given}`].map(segmentsOf)
      let found: { readonly pattern: Pattern; readonly wrong: number } | undefined
      for (const pattern of patterns.values()) {
        if (!CALLED.test(pattern.path)) continue
        const wrong = Math.min(...ways.map((way) => wrongFor(pattern.segments, way)))
        if (Number.isFinite(wrong) && (found === undefined || wrong < found.wrong)) found = { pattern, wrong }
      }
      return found === undefined ? undefined : shownAs(found.pattern)
    }
  }
}
