import type { FastifyRequest } from "fastify"
import { html } from "#src/http/server/page.ts"

/** The one place that decides who may open the console: the credential that every route of it takes. */
export const CONSOLE_AUTH = "operator" as const

/** Who visits. */
export const visitorOf = (request: FastifyRequest) => ({
  who: html`<span>${request.isOperator ? "Operator" : "Not signed in"}</span>`,
  csrf: html``,
  acts: true
})
