import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { FastifyReply, FastifyRequest } from "fastify"
import { CurrentActor } from "#src/accounts/Actor.ts"
import type { OperatorRole } from "#src/accounts/Operator.ts"
import { ApiError } from "#src/http/server/ApiError.ts"
import { routeNotFound, validationError } from "#src/http/server/errors.ts"
import type { HandlerError } from "#src/http/server/bridge.ts"
import { readForm } from "#src/http/server/body/form.ts"
import { actorOf } from "#src/http/server/makeAnswer.ts"
import { INTERNAL, PAGE } from "#src/http/server/reference/internalSurface.ts"
import { html } from "#src/http/server/page.ts"
import type { App, HandlerServices, Routes, Server } from "#src/http/server/Server.ts"
import { isConsoleLink, signInUrl } from "#src/http/operators/consolePath.ts"
import { openTo, visitorOf } from "./access.ts"
import { type Flash, leaveFlash, takeFlash } from "./flash.ts"
import { CONSOLE_POLICY, layout } from "./layout.ts"
import { openLive } from "./openLive.ts"
import { type Screen, SECTIONS, type Visit } from "./Screen.ts"
import { urlWith } from "./url.ts"

type Handler<A> = Effect.Effect<A, HandlerError, HandlerServices>

interface Named {
  readonly path: string
  readonly operationId: string
  readonly summary: string
  /** Who may do it. By default, viewers see screens and operators act. */
  readonly role?: OperatorRole
  /** How often an open screen looks for changes. Default: every 4 seconds. */
  readonly everySeconds?: number
}
const EVERY_SECONDS = 4

interface Done {
  readonly to: string
  readonly flash: Flash | null
}

/** What an action did, and where to go next. Null: the next screen shows it. */
export const done = (to: string, text: string | null, tone: Flash["tone"] = "good"): Done => ({
  to,
  flash: text === null ? null : { tone, text }
})

/** Registers screens, and the actions of their forms. */
export interface Console {
  readonly screen: (named: Named, show: (visit: Visit) => Handler<Screen>) => void
  /**
   * An action answers with where to go next, and with what it did; or with a screen of something that is shown once.
   * If it fails, that is said on `back`.
   */
  readonly action: (
    named: Named,
    act: (visit: Visit, form: URLSearchParams) => Handler<Done | Screen>,
    back: (visit: Visit) => string
  ) => void
  /** A file to save. */
  readonly file: (
    named: Named & { readonly type: string; readonly name: string },
    read: (visit: Visit) => Handler<string>
  ) => void
}

/** Whether the request is for the changes of a screen, and not for the page. */
const isLive = ({ url }: FastifyRequest) => new URL(url, "http://_").searchParams.get("live") === "1"

const visitOf = Effect.fnUntraced(function* (request: FastifyRequest, baseUrl: string) {
  const [path = "", query = ""] = request.url.split("?")
  const { csrf, acts, owns } = visitorOf(request)
  return {
    path,
    params: request.params as Readonly<Record<string, string>>,
    query: new URLSearchParams(query),
    nowMs: yield* Clock.currentTimeMillis,
    isLive: isLive(request),
    baseUrl,
    operator: request.operator,
    csrf,
    acts,
    owns
  } satisfies Visit
})

const send = (reply: FastifyReply, text: string) => reply.type("text/html; charset=utf-8").send(text)

const failed = ({ message, fix }: ApiError): Flash => ({
  tone: "bad",
  text: message,
  fix: fix === "" ? undefined : fix
})

const problemScreen = (error: ApiError): Screen => ({
  section: SECTIONS[0].path,
  title: error.status === 404 ? "Not found" : "This did not work",
  body: html`<div class="card"><p role="alert">${error.message}</p><p class="soft">${error.fix}</p>
      <p><a class="button" href="/console">Go to the overview</a></p></div>`
})

const makeConsole = (app: App, { baseUrl, run, stopping }: Server): Console => {
  const opened = ({ operationId, summary, role }: Named, usual: OperatorRole) => ({
    exposeHeadRoute: false,
    // Set on the route itself, because the check of forms looks at it before the hooks of this scope run.
    config: { auth: openTo(role ?? usual) },
    schema: { operationId, summary, ...INTERNAL, response: PAGE }
  })
  const render = (request: FastifyRequest, reply: FastifyReply, screen: Screen) =>
    send(
      reply,
      layout(screen, {
        flash: takeFlash(request, reply, baseUrl()),
        who: visitorOf(request).who,
        stream: urlWith(request.url.split("?")[0] ?? "", new URLSearchParams(request.url.split("?")[1]), { live: "1" })
      })
    )
  app.setErrorHandler((thrown: unknown, request, reply) => {
    if (!(thrown instanceof ApiError)) throw thrown
    if (thrown.status === 401 && !isLive(request)) return reply.redirect(signInUrl(request), 303)
    return render(request, reply.code(thrown.status), problemScreen(thrown))
  })
  return {
    screen: (named, show) =>
      app.get(named.path, opened(named, "viewer"), async (request, reply) => {
        const look = Effect.flatMap(visitOf(request, baseUrl()), show)
        if (!isLive(request)) return render(request, reply, await run(reply, look))
        await run(
          reply,
          openLive(
            reply,
            Effect.map(look, ({ live }) => live ?? html``),
            { everySeconds: named.everySeconds ?? EVERY_SECONDS, stopping }
          )
        )
        return reply
      }),
    action: (named, act, back) =>
      app.post(named.path, opened(named, "operator"), async (request, reply) => {
        const visit = await run(reply, visitOf(request, baseUrl()))
        const result = await run(
          reply,
          act(visit, request.body as URLSearchParams).pipe(
            Effect.provideService(CurrentActor, actorOf(request)),
            Effect.uninterruptible
          )
        ).catch((thrown: unknown) => {
          if (!(thrown instanceof ApiError) || thrown.status >= 500) throw thrown
          return { to: back(visit), flash: failed(thrown) } satisfies Done
        })
        if ("section" in result) return render(request, reply, result)
        if (result.flash !== null) leaveFlash(reply, baseUrl(), result.flash)
        return reply.redirect(locationOf(result.to), 303)
      }),
    file: (named, read) =>
      app.get(named.path, opened(named, "viewer"), async (request, reply) =>
        reply
          .header("content-disposition", `attachment; filename="${named.name}"`)
          .type(named.type)
          .send(await run(reply, Effect.flatMap(visitOf(request, baseUrl()), read)))
      )
  }
}

/** A location may hold visible ASCII only, and a path may name something with any other character. */
const locationOf = (to: string): string => to.toWellFormed().replace(/[^!-~]/gu, encodeURIComponent)

const noSuchPage = routeNotFound.saying("The console has no such page.", "Look for it from the overview.")

/** For old and mistyped links. Other errors without a screen of their own are pages by sendError. */
const lostScreen = ({ screen, action }: Console): void => {
  const path = "/console/*"
  screen({ path, operationId: "showNoPage", summary: "The page instead of one that does not exist" }, () =>
    Effect.fail(noSuchPage)
  )
  action(
    { path, operationId: "doNothing", summary: "The answer to a form that does not exist" },
    () => Effect.fail(noSuchPage),
    () => SECTIONS[0].path
  )
}

/** PostgreSQL cannot store U+0000. No path, no filter and no form needs it. */
const refuseUnstorable = ({ url, params, body }: FastifyRequest) => {
  const given = [
    ...Object.entries(params as Readonly<Record<string, string>>),
    ...new URLSearchParams(url.split("?")[1]),
    ...(body instanceof URLSearchParams ? body : [])
  ]
  const unstorable = given.find(([name, value]) => `${name}${value}`.includes("\0"))
  if (unstorable !== undefined) throw validationError(`${unstorable[0]}: must not contain U+0000`)
}

/** Registers screens in one scope: their policy, their forms, and who may open them. */
export const consoleRoutes =
  (screens: ReadonlyArray<(console: Console) => void>): Routes =>
  (server) => {
    void server.app.register(async (app) => {
      readForm(app)
      // For an operator who is signed in already: the link may make an owner of them.
      app.addHook("onRequest", async (request, reply) =>
        isConsoleLink(request) ? reply.redirect(signInUrl(request), 303) : undefined
      )
      app.addHook("preHandler", async (request) => refuseUnstorable(request))
      app.addHook("onSend", async (_, reply) => {
        // Browsers hide the origin of a form from servers that want no referrer, and it shows which forms are ours.
        void reply
          .header("content-security-policy", CONSOLE_POLICY)
          .header("referrer-policy", "same-origin")
          .header("cache-control", "no-store")
      })
      app.get("/console/", {
        config: { auth: "none" },
        schema: {
          operationId: "redirectToOverview",
          summary: "Redirect to the first screen",
          ...INTERNAL,
          response: PAGE
        },
        handler: (_, reply) => reply.redirect(SECTIONS[0].path, 308)
      })
      const console = makeConsole(app, server)
      for (const register of [...screens, lostScreen]) register(console)
    })
  }
