import type { App } from "#src/http/server/Server.ts"

/** Paths that begin alike, with the methods by which they are open and closed to demo keys. */
interface Surface {
  readonly below: Map<string, Surface>
  readonly open: Set<string>
  readonly closed: Set<string>
}

const makeSurface = (): Surface => ({ below: new Map(), open: new Set(), closed: new Set() })
const segmentsOf = (path: string): ReadonlyArray<string> => path.split("/").slice(1)

const methodIsClosed = ({ open, closed }: Surface, method: string): boolean =>
  open.has(method) || closed.has(method) ? !open.has(method) : open.size === 0

/**
 * A demo key may use the routes with `demo: true`. All others are closed to it, including later ones, and that error
 * precedes all others. A path without a route must get the same answer as its neighbours with a route. So this records
 * the routes of a server. Call it before they are added.
 *
 * Returns whether a request without a route counts as closed: compared with the routes that share the longest beginning
 * of its path, those with its method must be closed, or all of them if none has its method.
 */
export const noteDemoSurface = (app: App): ((method: string, url: string) => boolean) => {
  const root = makeSurface()
  app.addHook("onRoute", ({ method, url, config }) => {
    if (config?.auth === "none") return
    let surface = root
    for (const segment of segmentsOf(url)) {
      const name = segment.startsWith(":") ? ":" : segment
      const next = surface.below.get(name) ?? makeSurface()
      surface.below.set(name, next)
      for (const each of [method].flat()) next[config?.demo === true ? "open" : "closed"].add(each)
      surface = next
    }
  })
  return (method, url) => {
    let surface: Surface | undefined
    let next: Surface | undefined = root
    for (const segment of segmentsOf(url.split("?", 1)[0] ?? "")) {
      next = next.below.get(segment) ?? next.below.get(":")
      if (next === undefined) break
      surface = next
    }
    return surface !== undefined && methodIsClosed(surface, method)
  }
}
