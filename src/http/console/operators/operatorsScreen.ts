import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { OPERATOR_ROLES } from "#src/accounts/Operator.ts"
import { type OperatorSession, OperatorSessions } from "#src/db/operators/OperatorSessions.ts"
import { type OperatorToken, OperatorTokens } from "#src/db/operators/OperatorTokens.ts"
import { OperatorTokenCreate, MAX_TOKEN_DAYS } from "#src/http/operators/operatorAccessSchemas.ts"
import { operatorSessionNotFound, operatorTokenNotFound } from "#src/http/operators/operatorAccessErrors.ts"
import { isSessionPrefix } from "#src/http/operators/operatorSignInRoutes.ts"
import { isTokenPrefix, toOperatorToken } from "#src/http/operators/operatorTokenResource.ts"
import { validationError } from "#src/http/server/errors.ts"
import { type Html, html } from "#src/http/server/page.ts"
import { type Console, done } from "../console.ts"
import { counted, when } from "../figures.ts"
import { input, post, select } from "../form.ts"
import { tag } from "../icons.ts"
import type { Visit } from "../Screen.ts"
import { table } from "../table.ts"

export const OPERATORS_PATH = "/console/operators"
const MAX_SHOWN = 100
const DEFAULT_DAYS = 90
const METHODS = { admin_token: "ADMIN_TOKEN", code: "console link", issuer: "identity provider" } as const

const sessionsTable = (sessions: ReadonlyArray<OperatorSession>, { csrf, nowMs, operator }: Visit): Html =>
  table<OperatorSession>({
    label: "Open sessions",
    columns: [
      {
        label: "Operator",
        cell: ({ name, prefix }) =>
          html`<bdi>${name}</bdi> ${prefix === operator.sessionId ? tag("good", "this browser") : null}
            <br /><span class="id">${prefix}…</span>`
      },
      { label: "Role", cell: ({ role }) => role },
      { label: "Signed in with", cell: ({ method }) => METHODS[method] },
      {
        label: "From",
        cell: ({ address, user_agent }) =>
          html`${address}<br /><span class="soft small"><bdi>${user_agent ?? ""}</bdi></span>`
      },
      { label: "Began", cell: ({ created_at }) => when(created_at, nowMs) },
      { label: "Last used", cell: ({ last_used_at }) => when(last_used_at, nowMs) },
      {
        label: "Action",
        cell: ({ prefix }) =>
          post({ action: `${OPERATORS_PATH}/sessions/${prefix}/end`, csrf, label: `End ${prefix}…`, tone: "danger" })
      }
    ],
    rows: sessions,
    empty: html`<p>No browser is signed in.</p>`
  })

const tokenState = (token: OperatorToken, nowMs: number): Html => {
  const { status } = toOperatorToken(token, nowMs)
  return tag(status === "active" ? "good" : "none", status)
}

const tokensTable = (tokens: ReadonlyArray<OperatorToken>, { csrf, nowMs }: Visit): Html =>
  table<OperatorToken>({
    label: "Operator tokens",
    columns: [
      {
        label: "Token",
        cell: ({ name, prefix }) => html`<bdi>${name}</bdi><br /><span class="id">${prefix}…</span>`
      },
      { label: "State", cell: (token) => tokenState(token, nowMs) },
      { label: "Role", cell: ({ role }) => role },
      { label: "Created by", cell: ({ created_by }) => html`<bdi>${created_by ?? "the command line"}</bdi>` },
      { label: "Last used", cell: ({ last_used_at }) => when(last_used_at, nowMs) },
      { label: "Expires", cell: ({ expires_at }) => when(expires_at, nowMs) },
      {
        label: "Action",
        cell: (token) =>
          toOperatorToken(token, nowMs).status === "active"
            ? post({
                action: `${OPERATORS_PATH}/tokens/${token.prefix}/revoke`,
                csrf,
                label: `Revoke ${token.prefix}…`,
                tone: "danger"
              })
            : html`<span class="soft">–</span>`
      }
    ],
    rows: tokens,
    empty: html`<p>There are no operator tokens. Programs use them to call the routes below /admin.</p>`
  })

const creation = ({ csrf }: Visit): Html =>
  html`<form class="card" method="post" action="${OPERATORS_PATH}/tokens" aria-labelledby="create">
    <h2 id="create">Create an operator token</h2>
    ${csrf}
    ${input({ name: "name", label: "Name", required: true, maxlength: 80, hint: "Such as the program that uses it" })}
    ${select({
      name: "role",
      label: "Role",
      value: "viewer",
      options: OPERATOR_ROLES.map((value) => ({ value, label: value }))
    })}
    ${input({
      name: "days",
      label: "Days until it expires",
      type: "number",
      value: String(DEFAULT_DAYS),
      required: true,
      hint: `1 to ${MAX_TOKEN_DAYS}`
    })}
    <div class="row"><button class="first" type="submit">Create the token</button></div>
  </form>`

const created = (token: OperatorToken & { readonly secret: string }, nowMs: number): Html =>
  html`<section class="card" aria-labelledby="made">
    <h2 id="made">${token.name}</h2>
    <p>Copy the token now. It is not shown again.</p>
    <pre tabindex="0" aria-label="The token">${token.secret}</pre>
    <p class="soft">Role: ${token.role}. It expires ${when(token.expires_at, nowMs)}.</p>
    <p><a class="button first" href="${OPERATORS_PATH}">I have copied it</a></p>
  </section>`

/** Who may operate this server at present: browsers that are signed in, and tokens of machines. */
export const operatorsScreen = ({ screen, action }: Console): void => {
  const back = () => OPERATORS_PATH

  screen({ path: OPERATORS_PATH, operationId: "showOperators", summary: "The screen of operators" }, (visit) =>
    Effect.gen(function* () {
      const { operator, owns } = visit
      const [sessions, tokens] = yield* Effect.all([
        OperatorSessions.use((all) =>
          all.list({ operatorId: owns ? null : operator.id, before: null, limit: MAX_SHOWN })
        ),
        owns ? OperatorTokens.use((all) => all.list({ before: null, limit: MAX_SHOWN })) : Effect.succeed([])
      ])
      return {
        section: OPERATORS_PATH,
        title: "Operators",
        live: html`<section class="card flush" aria-labelledby="sessions">
            <h2 id="sessions">${owns ? "Open sessions" : "Your open sessions"}</h2>
            ${sessionsTable(sessions, visit)}
          </section>
          ${
            owns
              ? html`<section class="card flush" aria-labelledby="tokens">
                  <h2 id="tokens">Operator tokens</h2>
                  ${tokensTable(tokens, visit)}
                </section>`
              : html`<p class="soft">Only owners see operator tokens and the sessions of others.</p>`
          }`,
        body: owns ? creation(visit) : html``
      }
    })
  )

  action(
    {
      path: `${OPERATORS_PATH}/sessions/:prefix/end`,
      role: "viewer",
      operationId: "endSignInInConsole",
      summary: "End a session of an operator: an owner any, the others their own"
    },
    ({ operator, owns, params }) =>
      Effect.gen(function* () {
        const prefix = params["prefix"] ?? ""
        const by = { operatorId: owns ? null : operator.id, signOut: prefix === operator.sessionId }
        const isEnded =
          isSessionPrefix(prefix) && (yield* OperatorSessions.use((sessions) => sessions.revoke(prefix, by)))
        if (!isEnded) return yield* operatorSessionNotFound
        return done(OPERATORS_PATH, `The session ${prefix}… has ended. Its open screens close within a second.`)
      }),
    back
  )

  action(
    {
      path: `${OPERATORS_PATH}/tokens`,
      role: "owner",
      operationId: "createOperatorTokenInConsole",
      summary: "Create an operator token, which is shown once"
    },
    (_, form) =>
      Effect.gen(function* () {
        const { success, data, error } = OperatorTokenCreate.safeParse({
          name: (form.get("name") ?? "").trim(),
          role: form.get("role"),
          expires_in_days: Number(form.get("days") ?? Number.NaN)
        })
        if (!success) {
          const issue = error.issues[0]
          return yield* validationError(`${issue?.path.join(".") ?? "token"}: ${issue?.message ?? "is invalid"}`)
        }
        const { name, role, expires_in_days: days } = data
        const token = yield* OperatorTokens.use((tokens) => tokens.create({ name, role, days }))
        return {
          section: OPERATORS_PATH,
          above: { url: OPERATORS_PATH, name: "Operators" },
          title: `A token for ${counted(days, "day")}`,
          body: created(token, yield* Clock.currentTimeMillis)
        }
      }),
    back
  )

  action(
    {
      path: `${OPERATORS_PATH}/tokens/:prefix/revoke`,
      role: "owner",
      operationId: "revokeOperatorTokenInConsole",
      summary: "Revoke an operator token"
    },
    ({ params }) =>
      Effect.gen(function* () {
        const prefix = params["prefix"] ?? ""
        const revoked = isTokenPrefix(prefix) ? yield* OperatorTokens.use((tokens) => tokens.revoke(prefix)) : undefined
        if (revoked === undefined) return yield* operatorTokenNotFound
        return done(OPERATORS_PATH, `The token ${revoked.name} is revoked.`)
      }),
    back
  )
}
