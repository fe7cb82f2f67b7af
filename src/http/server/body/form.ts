import type { App } from "#src/http/server/Server.ts"

const BODY_LIMIT_BYTES = 16 * 1024

/** Parses form bodies for the routes of HTML pages. */
export const readForm = (app: App): void => {
  app.addHook("onRoute", (route) => {
    route.bodyLimit = BODY_LIMIT_BYTES
    route.config = { ...route.config, accepts: "form" }
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>("*", { parseAs: "string" }, (_, text, done) => done(null, new URLSearchParams(text)))
  app.addHook("preValidation", async (request) => {
    request.body ??= new URLSearchParams()
  })
}
