import cookie from "@fastify/cookie"
import * as Effect from "effect/Effect"
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from "fastify"
import { createHmac, timingSafeEqual } from "node:crypto"
import { CALLBACK_PATH, IdentityProvider, type SignInFailed } from "#src/accounts/IdentityProvider.ts"
import { readUserCode } from "#src/accounts/userCode.ts"
import { Accounts } from "#src/db/tenancy/Accounts.ts"
import { DeviceApprovals } from "#src/db/tenancy/DeviceApprovals.ts"
import { LIFETIME_SECONDS } from "#src/db/tenancy/DeviceCodes.ts"
import type { RouteLimit } from "#src/http/server/limits/Cost.ts"
import { takeWindows } from "#src/http/server/limits/takeWindows.ts"
import { ApiError } from "#src/http/server/ApiError.ts"
import { readForm } from "#src/http/server/body/form.ts"
import { INTERNAL, PAGE } from "#src/http/server/reference/internalSurface.ts"
import { approvalPage, codePage, decidedPage, problemPage, signInPage } from "./devicePages.ts"
import { PAGE_POLICY } from "#src/http/server/page.ts"
import type { Routes } from "#src/http/server/Server.ts"

/**
 * Limits for tried codes per address and per IPv6 site, and for codes per account (RFC 8628, 5.1). For the total over
 * all addresses see userCode.ts.
 */
const TRIES: ReadonlyArray<RouteLimit> = [
  { kind: "user_code", most: 20, windowSeconds: 600, per: "address" },
  { kind: "user_code_site", most: 200, windowSeconds: 600, per: "site" }
]
const RETURNS: ReadonlyArray<RouteLimit> = [{ kind: "user_code_account", most: 20, windowSeconds: 600, per: "account" }]

interface Page {
  readonly status: number
  readonly text: string
}
const shown = (text: string): Page => ({ status: 200, text })
const over: Page = {
  status: 410,
  text: problemPage(
    "Code no longer valid",
    "This code has expired, was already approved or denied, or was " +
      "entered in another browser. Get a new code from the program."
  )
}

const tooManyCodes = (seconds: number): Page => ({
  status: 429,
  text: problemPage(
    "Too many codes",
    `This account has entered too many codes. Try again in ${Math.ceil(seconds / 60)} minutes.`
  )
})

const signInFailed = ({ reason }: SignInFailed): Page =>
  reason === "refused"
    ? {
        status: 403,
        text: problemPage("Not signed in", "You were not signed in. Enter the code again to try once more.")
      }
    : {
        status: 502,
        text: problemPage("Not signed in", "The sign-in service cannot be reached. Try again later.")
      }

const csrfOf = (cookie: string) => createHmac("sha256", cookie).update("csrf").digest("base64url")
const fits = (given: string | null, cookie: string) => {
  const digest = (text: string) => createHmac("sha256", cookie).update(text).digest()
  return given !== null && timingSafeEqual(digest(given), digest(csrfOf(cookie)))
}
/** Browsers send the origin of a form. A client without one is not a browser. */
const isCrossSite = ({ headers }: FastifyRequest) =>
  !["same-origin", "none", undefined].includes(headers["sec-fetch-site"] as string | undefined)

const page = (operationId: string, summary: string, config: FastifyContextConfig = {}) => ({
  config: { ...config, auth: "none" as const },
  schema: { operationId, summary, ...INTERNAL, response: PAGE }
})

export const devicePageRoutes: Routes = ({ app, baseUrl, run }) => {
  /** PUBLIC_URL or a trusted proxy says so. */
  const isSecure = ({ protocol }: FastifyRequest) => protocol === "https" || baseUrl().startsWith("https:")
  const cookieName = (request: FastifyRequest) => (isSecure(request) ? "__Host-troupe-device" : "troupe-device")
  const options = (request: FastifyRequest) =>
    ({ httpOnly: true, sameSite: "lax", secure: isSecure(request), path: "/" }) as const
  const cookieOf = (request: FastifyRequest) => request.cookies[cookieName(request)] ?? ""
  const remember = (reply: FastifyReply, value: string) =>
    reply.setCookie(cookieName(reply.request), value, { ...options(reply.request), maxAge: LIFETIME_SECONDS })
  const send = (reply: FastifyReply, { status, text }: Page) =>
    reply.code(status).type("text/html; charset=utf-8").send(text)

  const tryCode = Effect.fnUntraced(function* (request: FastifyRequest, typed: string) {
    const fullFor = yield* takeWindows(request)
    if (fullFor !== null)
      return {
        status: 429,
        text: codePage("", `Too many codes were tried. Try again in ${Math.ceil(fullFor / 60)} minutes.`)
      }
    const userCode = readUserCode(typed)
    const begun = userCode === null ? undefined : yield* DeviceApprovals.use((approvals) => approvals.begin(userCode))
    return (
      begun ?? {
        status: 400,
        text: codePage(typed.slice(0, 20), "This code is not valid. Check it, or get a new one from the program.")
      }
    )
  })

  void app.register(async (pages) => {
    await pages.register(cookie)
    readForm(pages)
    pages.addHook("onSend", async (_, reply) => {
      void reply.header("content-security-policy", PAGE_POLICY).header("cache-control", "no-store")
    })
    pages.setErrorHandler((thrown: unknown, _, reply) => {
      if (!(thrown instanceof ApiError)) throw thrown
      return send(reply, { status: thrown.status, text: problemPage("Something went wrong", thrown.message) })
    })

    pages.get(
      "/device",
      page("showCodePage", "Show the page where a person enters the code of a program"),
      async (request, reply) => {
        const { user_code: typed } = request.query as Readonly<Record<string, unknown>>
        return send(reply, shown(codePage(typeof typed === "string" ? (readUserCode(typed) ?? "") : "", null)))
      }
    )

    pages.post(
      "/device",
      page("enterCode", "Submit the code", { cost: { rolling: TRIES } }),
      async (request, reply) => {
        if (isCrossSite(request)) return send(reply, { status: 403, text: codePage("", "Enter the code here.") })
        const begun = await run(reply, tryCode(request, (request.body as URLSearchParams).get("user_code") ?? ""))
        return typeof begun === "string" ? remember(reply, begun).redirect("/device/confirm", 303) : send(reply, begun)
      }
    )

    pages.get(
      "/device/confirm",
      page("showApprovalPage", "Show what the program requests, to approve or deny"),
      async (request, reply) => {
        const given = cookieOf(request)
        return send(
          reply,
          await run(
            reply,
            Effect.gen(function* () {
              const approval = yield* DeviceApprovals.use((approvals) => approvals.get(given))
              if (approval === undefined) return over
              if (approval.account !== null) return shown(approvalPage(approval, approval.account, csrfOf(given)))
              return shown(signInPage(approval, (yield* IdentityProvider).kind(baseUrl()) === "development"))
            })
          )
        )
      }
    )

    pages.get("/device/sign-in", page("signIn", "Redirect to the identity provider"), async (request, reply) => {
      const { again } = request.query as Readonly<Record<string, unknown>>
      const given = cookieOf(request)
      const next = await run(
        reply,
        Effect.gen(function* () {
          if ((yield* DeviceApprovals.use((approvals) => approvals.get(given))) === undefined) return over
          return yield* IdentityProvider.use((provider) =>
            provider.signInUrl({ baseUrl: baseUrl(), callbackPath: CALLBACK_PATH, cookie: given, again: again === "1" })
          )
        }).pipe(Effect.catchTag("SignInFailed", (failed) => Effect.succeed(signInFailed(failed))))
      )
      return typeof next === "string" ? reply.redirect(next, 303) : send(reply, next)
    })

    pages.get(
      CALLBACK_PATH,
      page("returnFromSignIn", "Handle the redirect back from the identity provider", { cost: { rolling: RETURNS } }),
      async (request, reply) => {
        const given = cookieOf(request)
        const next = await run(
          reply,
          Effect.gen(function* () {
            if ((yield* DeviceApprovals.use((approvals) => approvals.get(given))) === undefined) return over
            const person = yield* IdentityProvider.use((provider) =>
              provider.completeSignIn({
                baseUrl: baseUrl(),
                callbackPath: CALLBACK_PATH,
                cookie: given,
                query: request.url.split("?")[1] ?? ""
              })
            )
            const account = yield* Accounts.use((accounts) => accounts.signIn(person))
            const fullFor = yield* takeWindows(request, account.account_id)
            if (fullFor !== null) return tooManyCodes(fullFor)
            return (yield* DeviceApprovals.use((approvals) => approvals.signedIn(given, account.account_id))) ?? over
          }).pipe(Effect.catchTag("SignInFailed", (failed) => Effect.succeed(signInFailed(failed))))
        )
        return typeof next === "string" ? remember(reply, next).redirect("/device/confirm", 303) : send(reply, next)
      }
    )

    pages.post(
      "/device/decision",
      page("decideDevice", "Submit the decision", { writes: true }),
      async (request, reply) => {
        const given = cookieOf(request)
        const form = request.body as URLSearchParams
        const decision = form.get("decision")
        if (isCrossSite(request) || !fits(form.get("csrf"), given)) return send(reply, { ...over, status: 403 })
        if (decision !== "approved" && decision !== "denied") return send(reply, { ...over, status: 400 })
        const decided = await run(
          reply,
          DeviceApprovals.use((approvals) => approvals.decide(given, decision))
        )
        if (decided === undefined) return send(reply, over)
        void reply.clearCookie(cookieName(request), options(request))
        return send(reply, shown(decidedPage(decided.client_name, decision === "approved")))
      }
    )
  })
}
