import type { FastifyRequest } from "fastify"
import type { ApiError } from "./ApiError.ts"
import { html, page } from "./page.ts"

interface Place {
  readonly path: string
  readonly name: string
}

/** Where people come with a browser. Even an error is a page there, with a way back. */
const PLACES: ReadonlyArray<Place> = [
  { path: "/console", name: "Go to the console" },
  { path: "/device", name: "Enter a code" }
]

const START: Place = { path: "/", name: "Go to the start page" }
/** What programs call, also if a person opens it in a browser. */
const CALLED = /^\/(?:v1|admin|cbt)(?:[/?]|$)/

/** Where in the server a person is. Undefined: the request is a program's. */
export const placeOf = ({ url, headers }: FastifyRequest, error: ApiError): Place | undefined =>
  PLACES.find(({ path }) => url.startsWith(path) && ["", "/", "?"].includes(url.charAt(path.length))) ??
  (error.code === "route_not_found" && headers.accept?.includes("text/html") === true && !CALLED.test(url)
    ? START
    : undefined)

export const problemPage = (error: ApiError, requestId: string, { path, name }: Place): string =>
  page(
    error.status === 404 ? "Not found" : "This did not work",
    html`<p role="alert">${error.message}</p>
      <p>${error.fix}</p>
      <a class="act" href="${path}">${name}</a>
      <p class="soft">Request ${requestId}</p>`
  )
