import type { FastifyReply, FastifyRequest } from "fastify"
import { DEVELOPMENT_ISSUER_PATH, type DevelopmentIssuer } from "#src/accounts/developmentIssuer.ts"
import { IdentityProvider } from "#src/accounts/IdentityProvider.ts"
import { CODE_MINUTES, makeSignInCodes, SignInConsole } from "#src/accounts/signInCodes.ts"
import { routeNotFound } from "#src/http/server/errors.ts"
import { readForm } from "#src/http/server/body/form.ts"
import { INTERNAL, PAGE } from "#src/http/server/reference/internalSurface.ts"
import { developmentSignInPage, problemPage } from "./devicePages.ts"
import { PAGE_POLICY } from "#src/http/server/page.ts"
import type { Routes } from "#src/http/server/Server.ts"

const MAX_CHARACTERS = 60

const over = problemPage(
  "Sign-in ended",
  "The code of this sign-in was used, has expired, or was entered wrong too " +
    "often. Enter the code of your program again to start another sign-in."
)
const tooMany = problemPage(
  "Try again later",
  `Too many sign-ins are waiting for a code. Try again in ${CODE_MINUTES} minutes, or restart the server.`
)

/**
 * The request comes from this machine under its own name and not through a tunnel or proxy, which would forward others'
 * requests.
 */
const isLocal = ({ headers, socket, url }: FastifyRequest): boolean => {
  const { remoteAddress = "" } = socket
  const host = URL.parse(url, `http://${headers.host ?? ""}`)?.hostname ?? ""
  const passedOn = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"].some(
    (name) => headers[name] !== undefined
  )
  return (
    /^(?:::ffff:)?127\.|^::1$/.test(remoteAddress) && ["127.0.0.1", "localhost", "[::1]"].includes(host) && !passedOn
  )
}

/** The development issuer, only on loopback and outside production. Elsewhere its paths do not exist. */
export const developmentIssuerRoutes: Routes = ({ app, baseUrl, run }) => {
  const codes = makeSignInCodes(Date.now)
  const described = (operationId: string, summary: string) => ({
    config: { auth: "none" as const },
    schema: { operationId, summary: `${summary}. In development only, otherwise 404`, ...INTERNAL, response: PAGE }
  })
  const issuerFor = async (request: FastifyRequest, reply: Parameters<typeof run>[0]): Promise<DevelopmentIssuer> => {
    const provider = await run(reply, IdentityProvider)
    if (!isLocal(request)) throw routeNotFound
    return provider.development(baseUrl()) ?? Promise.reject(routeNotFound)
  }

  void app.register(
    async (issuer) => {
      readForm(issuer)
      issuer.addHook("onSend", async (_, reply) => {
        void reply.header("content-security-policy", PAGE_POLICY).header("cache-control", "no-store")
      })

      const send = (reply: FastifyReply, status: number, text: string) =>
        reply.code(status).type("text/html; charset=utf-8").send(text)

      issuer.get(
        "/interaction/:uid",
        described("showDevelopmentSignIn", "Show the development sign-in page"),
        async (request, reply) => {
          const development = await issuerFor(request, reply)
          const signIn = await development.underWay(request.raw, reply.raw)
          if (signIn === null) return send(reply, 410, over)
          const shown = codes.show(signIn, await run(reply, SignInConsole))
          if (shown === "over") return send(reply, 410, over)
          return shown === "full"
            ? send(reply, 429, tooMany)
            : send(reply, 200, developmentSignInPage(request.url, null))
        }
      )

      issuer.post(
        "/interaction/:uid",
        described("finishDevelopmentSignIn", "Complete the development sign-in"),
        async (request, reply) => {
          const development = await issuerFor(request, reply)
          const form = request.body as URLSearchParams
          const name = (form.get("name") ?? "").trim().slice(0, MAX_CHARACTERS).toWellFormed()
          const signIn = await development.underWay(request.raw, reply.raw)
          if (signIn === null) return send(reply, 410, over)
          if (name === "") return send(reply, 400, developmentSignInPage(request.url, "Enter a name to sign in as."))
          const checked = codes.check(signIn, form.get("code") ?? "")
          if (checked === "over") return send(reply, 410, over)
          if (checked === "wrong")
            return send(
              reply,
              400,
              developmentSignInPage(request.url, "Wrong code. Use the newest code on the server's console.")
            )
          return reply.redirect(await development.signIn(request.raw, reply.raw, name), 303)
        }
      )
    },
    { prefix: DEVELOPMENT_ISSUER_PATH }
  )

  void app.register(
    async (issuer) => {
      // The issuer parses the request itself.
      issuer.removeAllContentTypeParsers()
      issuer.addContentTypeParser("*", (_, __, done) => done(null))
      for (const method of ["GET", "POST"] as const)
        issuer.route({
          method,
          url: "/*",
          config: { auth: "none", accepts: "anything" },
          schema: described(
            method === "GET" ? "askDevelopmentIssuer" : "tellDevelopmentIssuer",
            "OpenID Connect endpoints of the development sign-in"
          ).schema,
          exposeHeadRoute: false,
          handler: async (request, reply) => {
            const development = await issuerFor(request, reply)
            for (const [name, value] of Object.entries(reply.getHeaders()))
              if (value !== undefined) reply.raw.setHeader(name, value)
            reply.hijack()
            const { url = "" } = request.raw
            await development.handle(
              Object.assign(request.raw, { originalUrl: url, url: url.slice(DEVELOPMENT_ISSUER_PATH.length) }),
              reply.raw
            )
          }
        })
    },
    { prefix: DEVELOPMENT_ISSUER_PATH }
  )
}
