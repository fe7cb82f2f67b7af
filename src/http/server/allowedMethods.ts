import type { App } from "./Server.ts"

interface Pattern {
  readonly segments: ReadonlyArray<string>
  readonly methods: ReadonlyArray<string>
}

const segmentsOf = (path: string): ReadonlyArray<string> => path.split("/")

const matches = (pattern: ReadonlyArray<string>, path: ReadonlyArray<string>): boolean =>
  (pattern.at(-1) === "*" ? path.length >= pattern.length : path.length === pattern.length) &&
  pattern.every((segment, at) => segment === "*" || (segment.startsWith(":") ? path[at] !== "" : segment === path[at]))

/**
 * Records the routes that are added to a server, and returns the methods that a path supports. Each method has its own
 * routing tree, so the result is the union over all matching patterns. Call it before adding routes.
 */
export const noteMethods = (app: App): ((url: string) => ReadonlyArray<string>) => {
  const patterns: Array<Pattern> = []
  app.addHook("onRoute", ({ method, url }) => {
    patterns.push({ segments: segmentsOf(url), methods: [method].flat() })
  })
  return (url) => {
    const path = segmentsOf(url.split("?", 1)[0] ?? "")
    return [
      ...new Set(patterns.flatMap(({ segments, methods }) => (matches(segments, path) ? methods : [])))
    ].toSorted()
  }
}
