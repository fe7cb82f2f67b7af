import * as Effect from "effect/Effect"
import type { FastifyReply, FastifyRequest } from "fastify"
import { randomBytes } from "node:crypto"
import { CONSOLE_CALLBACK_PATH, IdentityProvider, type SignInFailed } from "#src/accounts/IdentityProvider.ts"
import { OperatorAuthentication } from "#src/accounts/OperatorAuthentication.ts"
import { OperatorSessions, SESSION_HOURS } from "#src/db/operators/OperatorSessions.ts"
import { ApiError } from "#src/http/server/ApiError.ts"
import { readForm } from "#src/http/server/body/form.ts"
import { isFromElsewhere } from "#src/http/server/csrf.ts"
import { actorOf } from "#src/http/server/makeAnswer.ts"
import { cookieOf, setCookie, setOperatorCookie } from "#src/http/server/operatorCookie.ts"
import { ATTEMPTS } from "#src/http/server/limits/operatorAttempts.ts"
import { PAGE_POLICY } from "#src/http/server/page.ts"
import { INTERNAL, PAGE } from "#src/http/server/reference/internalSurface.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { CurrentActor } from "#src/accounts/Actor.ts"
import { consolePath } from "./consolePath.ts"
import { type Attempt, recordFailure, signInWithClaims, signInWithCode, signInWithToken } from "./signIn.ts"
import { codeOverPage, signedInPage, signInPage, signInProblemPage } from "./signInPages.ts"

const SECONDS = SESSION_HOURS * 3600
/** The browser's part of a sign-in through the issuer: a secret, and where to go afterwards. */
const ISSUER_COOKIE = { name: "troupe-operator-sign-in", sameSite: "lax", seconds: 900 } as const
const MAX_CODE_CHARACTERS = 100
const MAX_TOKEN_CHARACTERS = 1000

const PAGES: Readonly<Record<string, { readonly operationId: string; readonly summary: string }>> = {
  "GET /console/sign-in": {
    operationId: "showSignIn",
    summary: "Show the sign-in page of the console. With the code of a console link, sign in"
  },
  "POST /console/sign-in": { operationId: "signInToConsole", summary: "Sign in to the console with ADMIN_TOKEN" },
  "GET /console/sign-in/issuer": {
    operationId: "signInThroughIssuer",
    summary: "Redirect an operator to the identity provider"
  },
  [`GET ${CONSOLE_CALLBACK_PATH}`]: {
    operationId: "returnToConsole",
    summary: "Handle the redirect back from the identity provider"
  },
  "POST /console/sign-out": { operationId: "signOut", summary: "End the session of this browser" }
}

const providerFailed = ({ reason }: SignInFailed) =>
  reason === "refused"
    ? { status: 403, text: signInProblemPage("Not signed in", "The sign-in service did not let you in.") }
    : { status: 502, text: signInProblemPage("Not signed in", "The sign-in service cannot be reached. Try later.") }

const notListed = signInProblemPage(
  "Not an operator",
  "You signed in, but you don't operate this server. Its owner can add your verified email address to OPERATORS."
)

const queryOf = (request: FastifyRequest) => request.query as Readonly<Record<string, unknown>>

/** Browsers and previews fetch links before anybody opens them. That must not use up a code. */
const isOpened = ({ method, headers }: FastifyRequest) =>
  method === "GET" && headers["sec-purpose"] === undefined && headers["purpose"] !== "prefetch"

/** The pages on which operators sign in to the console. They work without scripts. */
export const signInRoutes: Routes = ({ app, baseUrl, run }) => {
  const send = (reply: FastifyReply, status: number, text: string) =>
    reply.code(status).type("text/html; charset=utf-8").send(text)

  const waysOf = (next: string) =>
    Effect.gen(function* () {
      const { hasAdminToken, hasRules } = yield* OperatorAuthentication
      const { kind } = yield* IdentityProvider
      return { token: hasAdminToken, issuer: hasRules && kind(baseUrl()) === "issuer", next }
    })
  /** From a page of ours, so that the browser sends the cookie, which it keeps from requests that others cause. */
  const welcome = (reply: FastifyReply, cookie: string, next: string) =>
    send(
      setOperatorCookie(reply, baseUrl(), cookie, SECONDS).header("refresh", `0; url=${next}`),
      200,
      signedInPage(next)
    )
  const sendAttempt = (reply: FastifyReply, attempt: Attempt, next: string, refused: string) => {
    if (attempt._tag === "signedIn") return welcome(reply, attempt.cookie, next)
    return send(reply, 403, refused)
  }

  void app.register(async (pages) => {
    readForm(pages)
    pages.addHook("onRoute", (route) => {
      route.config = { auth: "none", ...route.config }
      route.schema = { ...PAGES[`${String(route.method)} ${route.url}`], ...INTERNAL, response: PAGE }
    })
    pages.addHook("onSend", async (_, reply) => {
      // Browsers hide the origin of a form from servers that want no referrer, and it shows which forms are ours.
      void reply
        .header("content-security-policy", PAGE_POLICY)
        .header("referrer-policy", "same-origin")
        .header("cache-control", "no-store")
    })
    pages.setErrorHandler((thrown: unknown, _, reply) => {
      if (!(thrown instanceof ApiError)) throw thrown
      if (thrown.status === 401) return reply.redirect("/console/sign-in", 303)
      return send(reply, thrown.status, signInProblemPage("Something went wrong", thrown.message))
    })

    pages.get("/console/sign-in", async (request, reply) => {
      const { code, next: asked, signed_out: isOut } = queryOf(request)
      const next = consolePath(asked)
      if (typeof code !== "string" || code === "" || !isOpened(request))
        return send(
          reply,
          200,
          signInPage(await run(reply, waysOf(next)), isOut === "1" ? "You are signed out." : null)
        )
      const attempt = await run(reply, signInWithCode(request, baseUrl(), code.slice(0, MAX_CODE_CHARACTERS)))
      return sendAttempt(reply, attempt, next, codeOverPage())
    })

    pages.post(
      "/console/sign-in",
      { config: { writes: true, cost: { rolling: ATTEMPTS } } },
      async (request, reply) => {
        const form = request.body as URLSearchParams
        const next = consolePath(form.get("next"))
        const ways = await run(reply, waysOf(next))
        if (isFromElsewhere(request, baseUrl()))
          return send(reply, 403, signInPage(ways, "Sign in on this page. The last attempt came from another one."))
        const token = (form.get("token") ?? "").trim().slice(0, MAX_TOKEN_CHARACTERS)
        const attempt = await run(reply, signInWithToken(request, baseUrl(), token))
        if (attempt._tag !== "tooMany")
          return sendAttempt(reply, attempt, next, signInPage(ways, "This is not the ADMIN_TOKEN of this server."))
        const wait = `Too many attempts. Try again in ${Math.ceil(attempt.seconds / 60)} minutes, or use another way.`
        return send(reply.header("retry-after", String(attempt.seconds)), 429, signInPage(ways, wait))
      }
    )

    pages.get("/console/sign-in/issuer", async (request, reply) => {
      const next = consolePath(queryOf(request)["next"])
      const cookie = `${randomBytes(32).toString("base64url")}.${Buffer.from(next).toString("base64url")}`
      const to = await run(
        reply,
        Effect.gen(function* () {
          if (!(yield* waysOf(next)).issuer)
            return { status: 404, text: signInProblemPage("Not available", "OPERATORS is not set on this server.") }
          return yield* IdentityProvider.use((provider) =>
            provider.signInUrl({ baseUrl: baseUrl(), callbackPath: CONSOLE_CALLBACK_PATH, cookie, again: false })
          )
        }).pipe(Effect.catchTag("SignInFailed", (failed) => Effect.succeed(providerFailed(failed))))
      )
      if (typeof to !== "string") return send(reply, to.status, to.text)
      return setCookie(reply, baseUrl(), { ...ISSUER_COOKIE, value: cookie }).redirect(to, 303)
    })

    pages.get(CONSOLE_CALLBACK_PATH, async (request, reply) => {
      const cookie = cookieOf(request, baseUrl(), ISSUER_COOKIE.name) ?? ""
      const next = consolePath(Buffer.from(cookie.split(".")[1] ?? "", "base64url").toString())
      if (request.method !== "GET" || cookie === "")
        return send(
          reply,
          410,
          signInProblemPage("Sign-in ended", "This sign-in was begun in another browser, or ended.")
        )
      void setCookie(reply, baseUrl(), { ...ISSUER_COOKIE, value: null })
      const query = request.url.split("?")[1] ?? ""
      const told = await run(
        reply,
        Effect.gen(function* () {
          const provider = yield* IdentityProvider
          const where = { baseUrl: baseUrl(), callbackPath: CONSOLE_CALLBACK_PATH, cookie }
          const { claims } = yield* provider.completeSignIn({ ...where, query })
          return yield* signInWithClaims(request, baseUrl(), claims)
        }).pipe(
          Effect.catchTag("SignInFailed", (failed) =>
            Effect.as(recordFailure(request, "issuer", "wrong"), providerFailed(failed))
          )
        )
      )
      return "_tag" in told ? sendAttempt(reply, told, next, notListed) : send(reply, told.status, told.text)
    })

    pages.post(
      "/console/sign-out",
      { config: { auth: { operator: "viewer" }, writes: true } },
      async (request, reply) => {
        const { id, sessionId } = request.operator
        if (sessionId !== undefined)
          await run(
            reply,
            OperatorSessions.use((sessions) => sessions.revoke(sessionId, { operatorId: id, signOut: true })).pipe(
              Effect.provideService(CurrentActor, actorOf(request))
            )
          )
        return setOperatorCookie(reply, baseUrl(), null, 0).redirect("/console/sign-in?signed_out=1", 303)
      }
    )
  })
}
