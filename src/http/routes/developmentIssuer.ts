import type { FastifyRequest } from "fastify"
import { DEVELOPMENT_ISSUER_PATH, type DevelopmentIssuer } from "#src/accounts/developmentIssuer.ts"
import { IdentityProvider } from "#src/accounts/IdentityProvider.ts"
import { routeNotFound } from "../errors.ts"
import { readForm } from "../form.ts"
import { developmentSignInPage, problemPage } from "../pages/devicePages.ts"
import { PAGE_POLICY } from "../pages/page.ts"
import type { Routes } from "../Server.ts"

const MOST_CHARACTERS = 60

/** Asked on this machine, by its own name, with nothing in between: a tunnel or a proxy would bring others here. */
const isLocal = ({ headers, socket, url }: FastifyRequest): boolean => {
  const { remoteAddress = "" } = socket
  const host = URL.parse(url, `http://${headers.host ?? ""}`)?.hostname ?? ""
  const passedOn = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"].some((name) => headers[name] !== undefined)
  return /^(?:::ffff:)?127\.|^::1$/.test(remoteAddress) && ["127.0.0.1", "localhost", "[::1]"].includes(host) && !passedOn
}

/** The development issuer, on loopback and outside production only. Elsewhere its paths are not there. */
export const developmentIssuerRoutes: Routes = ({ app, baseUrl, run }) => {
  const hidden = { config: { public: true }, schema: { hide: true } }
  const issuerFor = async (request: FastifyRequest, reply: Parameters<typeof run>[0]): Promise<DevelopmentIssuer> => {
    const provider = await run(reply, IdentityProvider)
    if (!isLocal(request)) throw routeNotFound
    return provider.development(baseUrl()) ?? Promise.reject(routeNotFound)
  }

  void app.register(async (issuer) => {
    readForm(issuer)
    issuer.addHook("onSend", async (_, reply) => {
      void reply.header("content-security-policy", PAGE_POLICY).header("cache-control", "no-store")
    })

    issuer.get("/interaction/:uid", hidden, async (request, reply) => {
      const development = await issuerFor(request, reply)
      const underWay = await development.underWay(request.raw, reply.raw)
      return reply.code(underWay ? 200 : 410).type("text/html; charset=utf-8").send(underWay ? developmentSignInPage(request.url) : problemPage("Nothing to sign in to", "This sign-in is over."))
    })

    issuer.post("/interaction/:uid", hidden, async (request, reply) => {
      const development = await issuerFor(request, reply)
      const name = ((request.body as URLSearchParams).get("name") ?? "").trim().slice(0, MOST_CHARACTERS).toWellFormed()
      if (name === "" || !(await development.underWay(request.raw, reply.raw))) {
        return reply.code(410).type("text/html; charset=utf-8").send(problemPage("Nothing to sign in to", "This sign-in is over, or said no name."))
      }
      return reply.redirect(await development.signIn(request.raw, reply.raw, name), 303)
    })
  }, { prefix: DEVELOPMENT_ISSUER_PATH })

  void app.register(async (issuer) => {
    // The issuer reads the request itself.
    issuer.removeAllContentTypeParsers()
    issuer.addContentTypeParser("*", (_, __, done) => done(null))
    issuer.route({
      method: ["GET", "POST"],
      url: "/*",
      ...hidden,
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        const development = await issuerFor(request, reply)
        for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value)
        reply.hijack()
        const { url = "" } = request.raw
        await development.handle(Object.assign(request.raw, { originalUrl: url, url: url.slice(DEVELOPMENT_ISSUER_PATH.length) }), reply.raw)
      }
    })
  }, { prefix: DEVELOPMENT_ISSUER_PATH })
}
