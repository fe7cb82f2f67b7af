import type { FastifyRequest } from "fastify"
import { includesRole, type OperatorRole } from "#src/accounts/Operator.ts"
import type { Credential } from "#src/http/server/Credential.ts"
import { csrfField } from "#src/http/server/csrf.ts"
import { html } from "#src/http/server/page.ts"

/** The credential of a screen or an action: a signed-in operator with at least this role. */
export const openTo = (role: OperatorRole): Credential => ({ operator: role })

/** Whether the caller is known. Nobody is while a request is being refused. */
const isKnown = (request: FastifyRequest): boolean =>
  (request.operator as typeof request.operator | undefined) !== undefined

/** A bearer does not sign out. */
const signOut = (request: FastifyRequest) =>
  request.operator.via === "session"
    ? html`<form method="post" action="/console/sign-out">
        ${csrfField(request)}<button class="slight" type="submit">Sign out</button>
      </form>`
    : null

/** Who visits, for the screens. */
export const visitorOf = (request: FastifyRequest) =>
  isKnown(request)
    ? {
        who: html`<span><bdi>${request.operator.name}</bdi> <span class="soft">(${request.operator.role})</span></span>
          ${signOut(request)}`,
        csrf: csrfField(request),
        acts: includesRole(request.operator.role, "operator"),
        owns: includesRole(request.operator.role, "owner")
      }
    : { who: html`<span>Not signed in</span>`, csrf: html``, acts: false, owns: false }
