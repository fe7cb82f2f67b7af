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
 * What a demo key may do is a route's `demo: true`; every other is closed to it, one that comes later too, and that is
 * said before anything else. So that a path without a route is answered like one beside it that has a route, this notes
 * the routes that are added to a server. Call it before they are.
 *
 * It tells whether a request that no route answers is of a closed kind. Of the routes that begin like its path, as far
 * as any does, those with its method must be closed; or all of them, where none has its method.
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
