import type { App } from "#src/http/server/Server.ts"

const BODY_LIMIT_BYTES = 16 * 1024

/** Has the routes of pages get their bodies as forms. */
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
