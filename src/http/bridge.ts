import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { FastifyReply } from "fastify"
import type { LogUnavailable } from "#channels/event-log/EventLog.ts"
import type { InboxUnavailable } from "#pipeline/Inbox.ts"
import { DatabaseError } from "#src/db/Database.ts"
import { ApiError, databaseUnreachable, draining, internalError } from "./errors.ts"

/** What a handler may fail with. Everything but an ApiError is ours, and is told apart here once. */
export type HandlerError = ApiError | DatabaseError | InboxUnavailable | LogUnavailable

const isUnreachable = (cause: unknown): boolean => cause instanceof DatabaseError && cause.reason === "unreachable"

const toApiError = (error: HandlerError): ApiError => {
  if (error._tag === "ApiError") return error
  return isUnreachable(error) || (error._tag !== "DatabaseError" && isUnreachable(error.cause)) ? databaseUnreachable : internalError
}

/** request.signal fires as soon as a body has been read; the response closing unfinished is the caller leaving. */
const disconnected = (reply: FastifyReply): AbortSignal => {
  const aborter = new AbortController()
  reply.raw.once("close", () => reply.raw.writableFinished || aborter.abort())
  return aborter.signal
}

/** Runs handlers' effects for Fastify, and can wait for them and then stop them. */
export interface Bridge<R> {
  /** Fails only with an ApiError, and logs what was our fault. */
  readonly run: <A>(effect: Effect.Effect<A, HandlerError, R>, reply: FastifyReply, cancel: "when caller leaves" | "never") => Promise<A>
  /** Lets running handlers finish within the grace period, then interrupts the rest. */
  readonly drain: Effect.Effect<void>
}

export const makeBridge = <R = never>(): Effect.Effect<Bridge<R>, never, R | Scope.Scope> =>
  Effect.gen(function*() {
    const fibers = yield* FiberSet.make()
    const runPromise = yield* FiberSet.runtimePromise(fibers)<R>()

    const logged = <A>(effect: Effect.Effect<A, HandlerError, R>, requestId: string) =>
      effect.pipe(Effect.tapCause((cause) => {
        const error = Option.getOrUndefined(Cause.findErrorOption(cause))
        if (Cause.hasInterruptsOnly(cause) || error?._tag === "ApiError") return Effect.void
        return Effect.logError("request failed", cause).pipe(Effect.annotateLogs({ request_id: requestId }))
      }))

    const run: Bridge<R>["run"] = async (effect, reply, cancel) => {
      const exit = await runPromise(Effect.exit(logged(effect, reply.request.id)), cancel === "never" ? {} : { signal: disconnected(reply) }).catch(() => Exit.interrupt())
      if (Exit.isSuccess(exit)) return exit.value
      if (Cause.hasInterruptsOnly(exit.cause)) throw draining
      const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
      throw error === undefined ? internalError : toApiError(error)
    }
    const drain = FiberSet.awaitEmpty(fibers).pipe(Effect.timeoutOption("3 seconds"), Effect.andThen(FiberSet.clear(fibers)))
    return { run, drain }
  })
