import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import type { ModelCondition } from "#src/health/ModelCondition.ts"
import { decodeAnswer } from "./decodeAnswer.ts"
import { fromServer } from "./failure.ts"
import { makeFetchAnswer } from "./fetchAnswer.ts"
import type { OpenAiOptions } from "./call.ts"
import type { Learned } from "./learned.ts"
import { OPENAI_URL } from "./makeClient.ts"

/** So many questions in a row that got no answer in time mean that the model may be loading. */
const MIN_TIMEOUTS = 2
/** How long a model is given to load. */
const MAX_LOADING = Duration.minutes(5)
/** How often a server that says that it is loading is asked. */
const ASK_AGAIN = Duration.seconds(2)
/** A question that was cut off sooner says nothing about the model. */
const MIN_WAITED_MS = 1_000
const ANSWER_TOKENS = 16

export interface WarmUp {
  /** A question got no answer in time. */
  readonly timedOut: Effect.Effect<void>
  /** The same, if the question was cut off after this time. */
  readonly cutOff: (waitedMs: number) => Effect.Effect<void>
  /** A question was answered. */
  readonly answered: () => void
}

/**
 * Loads a slow model. Many servers load a model when it is first asked, and start over when the connection closes, so
 * calls with a time limit never see it loaded. After two questions without an answer in time, one further call is left
 * open for up to five minutes, beside what turns ask. There is at most one for each model, and it costs a few tokens.
 * OpenAI's own models need none.
 */
export const makeWarmUp = Effect.fnUntraced(function* (
  options: OpenAiOptions,
  learned: Learned,
  condition: ModelCondition
): Effect.fn.Return<WarmUp, never, Scope.Scope> {
  const scope = yield* Scope.Scope
  const fetchAnswer = makeFetchAnswer(options)
  const mayLoad = options.baseUrl !== undefined && options.baseUrl !== null && options.baseUrl !== OPENAI_URL
  let timeouts = 0
  let open: Fiber.Fiber<void> | null = null

  const isLoaded = Effect.gen(function* () {
    const { lengthName } = learned.manner(yield* Clock.currentTimeMillis)
    const body = {
      model: options.model,
      messages: [{ role: "user", content: "Say OK." }],
      [lengthName]: ANSWER_TOKENS
    }
    const fetched = yield* Effect.tryPromise((signal) => fetchAnswer(body, signal))
    const { error } = decodeAnswer(fetched.body, fetched.status)
    return error === null || fromServer(error, null).failure !== "loading"
  })
  const load = isLoaded.pipe(
    Effect.repeat({ until: (loaded) => loaded, schedule: Schedule.spaced(ASK_AGAIN) }),
    Effect.andThen(condition.worked(true)),
    Effect.timeoutOrElse({ duration: MAX_LOADING, orElse: () => Effect.sync(() => condition.notLoaded()) }),
    Effect.catch(() => Effect.sync(() => condition.notLoaded())),
    Effect.ensuring(
      Effect.sync(() => {
        open = null
        timeouts = 0
      })
    )
  )
  const timedOut = Effect.suspend(() => {
    timeouts++
    if (!mayLoad || timeouts < MIN_TIMEOUTS || open !== null) return Effect.void
    return Effect.andThen(
      condition.loading(),
      Effect.map(Effect.forkIn(load, scope), (fiber) => {
        open = fiber
      })
    )
  })
  return {
    timedOut,
    cutOff: (waitedMs) => (waitedMs < MIN_WAITED_MS ? Effect.void : timedOut),
    answered: () => {
      timeouts = 0
      // A model that answers is loaded.
      open?.interruptUnsafe()
    }
  }
})
