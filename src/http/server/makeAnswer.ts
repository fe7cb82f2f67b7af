import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import type * as z from "zod"
import { type Actor, CurrentActor } from "#src/accounts/Actor.ts"
import { credentialOf } from "#src/accounts/Operator.ts"
import { ignoredFields, meantFields } from "./body/ignoredFields.ts"
import { rawBody } from "./body/parsing.ts"
import type { Bridge } from "./bridge.ts"
import { envelope, type Unknown } from "./envelope.ts"
import { matchCredential } from "./Credential.ts"
import { bareAddress } from "./limits/clientAddress.ts"
import type { HandlerServices, Server } from "./Server.ts"

/** The actor for the changes that a request makes. */
export const actorOf = ({ principal, account, operator, routeOptions, ip }: FastifyRequest): Actor =>
  matchCredential<Actor>(routeOptions.config.auth, {
    app: () => ({ kind: "runtime_key", id: principal.prefix }),
    account: () => ({ kind: "account_token", id: account.token.prefix }),
    operator: () => ({
      kind: "operator",
      id: operator.id,
      address: bareAddress(ip),
      credential: credentialOf(operator)
    }),
    none: () => ({ kind: "anybody", id: null })
  })

/** What the body of a request has that its route does not know. */
export const unknownIn = ({ body, routeOptions }: Pick<FastifyRequest, "body" | "routeOptions">): Unknown => {
  const schema = routeOptions.schema?.body as z.ZodType | undefined
  const taken = schema === undefined ? {} : body
  const names = body === undefined ? [] : ignoredFields(rawBody(body), taken)
  return { names, meant: names.length === 0 || schema === undefined ? {} : meantFields(schema, rawBody(body), taken) }
}

/** Runs handlers and wraps their results in the envelope. */
export const makeAnswer = (bridge: Bridge<HandlerServices>): Server["answer"] => {
  return async (request, reply, handler) => {
    const result = await bridge.run(
      Effect.provideService(handler, CurrentActor, actorOf(request)),
      reply,
      request.routeOptions.config.writes === true ? "never" : "when caller leaves"
    )
    return reply.header("content-type", "application/json; charset=utf-8").send(envelope(result, unknownIn(request)))
  }
}
