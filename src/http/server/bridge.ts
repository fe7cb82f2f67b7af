import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import * as References from "effect/References"
import type * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import type { FastifyReply } from "fastify"
import type { LogUnavailable } from "#channels/event-log/EventLog.ts"
import type { InboxUnavailable } from "#pipeline/Inbox.ts"
import { DatabaseError } from "#src/db/postgres/Database.ts"
import { isLacking } from "#src/db/postgres/sqlState.ts"
import { AppIsMoving } from "#src/db/tenancy/AppIsMoving.ts"
import { CurrentUnit } from "#src/units/currentUnit.ts"
import { ApiError } from "./ApiError.ts"
import { appMoves, databaseUnreachable, draining, internalError, requestGivenUp } from "./errors.ts"
import { isGivenUp, unitOfRequest } from "./unitOfRequest.ts"

/** The errors that a handler may fail with. All except ApiError are internal, and are mapped to responses only here. */
export type HandlerError = ApiError | DatabaseError | InboxUnavailable | LogUnavailable

/** The database cannot be reached, or cannot store anything now. */
const isUnavailable = (cause: unknown): boolean =>
  cause instanceof DatabaseError && (cause.reason === "unreachable" || isLacking(cause.sqlState))

const toApiError = (error: HandlerError): ApiError => {
  if (error._tag === "ApiError") return error
  return isUnavailable(error) || (error._tag !== "DatabaseError" && isUnavailable(error.cause))
    ? databaseUnreachable
    : internalError
}

/** Runs handlers' effects for Fastify, and can wait for them and stop them. */
export interface Bridge<R> {
  /** Fails only with an ApiError, and logs internal errors. */
  readonly run: <A>(
    effect: Effect.Effect<A, HandlerError, R>,
    reply: FastifyReply,
    cancel: "when caller leaves" | "never"
  ) => Promise<A>
  /** Lets running handlers finish within the grace period, then interrupts the rest. */
  readonly drain: Effect.Effect<void>
}

export const makeBridge = <R = never>(): Effect.Effect<Bridge<R>, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const fibers = yield* FiberSet.make()
    const fork = yield* FiberSet.runtime(fibers)<R>()

    const refusal = (cause: Cause.Cause<HandlerError>, requestId: string): ApiError => {
      if (Cause.hasInterruptsOnly(cause)) return draining
      const error = Option.getOrUndefined(Cause.findErrorOption(cause))
      if (error?._tag === "ApiError") return error
      if (error?._tag === "InboxUnavailable" && error.cause instanceof AppIsMoving) return appMoves
      fork(Effect.logError("request failed", cause).pipe(Effect.annotateLogs({ request_id: requestId })))
      return error === undefined ? internalError : toApiError(error)
    }
    // Uses observers instead of additional effects or a signal, because each request passes here, some several times.
    const run: Bridge<R>["run"] = (effect, reply, cancel) =>
      new Promise((resolve, reject) => {
        const unit = unitOfRequest(reply.request)
        if (unit !== null && isGivenUp(reply.request, unit)) return reject(requestGivenUp)
        const { id, span } = reply.request
        // Merging a context instead would copy all services of the process for each request.
        const within = (context: Context.Context<R>) => {
          const marked = context.pipe(
            Context.add(CurrentUnit, unit),
            Context.add(References.CurrentLogAnnotations, { request_id: id })
          )
          return span === null ? marked : Context.add(marked, Tracer.ParentSpan, span)
        }
        const fiber = fork(Effect.updateContext(effect, within))
        fiber.addObserver((exit) =>
          Exit.isSuccess(exit) ? resolve(exit.value) : reject(refusal(exit.cause, reply.request.id))
        )
        if (cancel === "never" || fiber.pollUnsafe() !== undefined) return
        // request.signal fires as soon as a body has been read. A caller has disconnected if the response closes before
        // it is finished.
        reply.raw.once("close", () => reply.raw.writableFinished || fiber.interruptUnsafe())
      })
    const drain = FiberSet.awaitEmpty(fibers).pipe(
      Effect.timeoutOption("3 seconds"),
      Effect.andThen(FiberSet.clear(fibers))
    )
    return { run, drain }
  })
