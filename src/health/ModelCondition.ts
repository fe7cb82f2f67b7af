import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { MODEL_FAILURES, type ModelFailure } from "#pipeline/ModelFailure.ts"
import { modelDependency } from "#pipeline/telemetry/Dependency.ts"
import type { Figures } from "./Problem.ts"

/** `unknown`: it has not been asked yet. */
export type ModelState = "unknown" | "working" | "loading" | "failing"

/** What this process knows of a model that it asks. */
export class ModelCondition {
  readonly model: string
  readonly #findings: (nowMs: number) => Figures
  #state: ModelState = "unknown"
  #failure: ModelFailure | null = null
  #said: string | null = null
  readonly #loggedMs = new Map<string, number>()

  /** `findings`: what was found out about its server. */
  constructor(model: string, findings: (nowMs: number) => Figures) {
    this.model = model
    this.#findings = findings
  }

  get state(): ModelState {
    return this.#state
  }

  /** A question was answered. Costs nothing while it works. */
  worked(isReply: boolean): Effect.Effect<void> {
    // Another question says nothing about replies that fail for what they are.
    if (!isReply && this.#failure !== null && !MODEL_FAILURES[this.#failure].isOutage) return Effect.void
    const wasLoading = this.#state === "loading"
    this.#state = "working"
    this.#failure = null
    this.#said = null
    const { model } = this
    const recovered = modelDependency.worked({ model })
    return wasLoading ? Effect.andThen(Effect.logInfo("model loaded", { model }), recovered) : recovered
  }

  /**
   * A question got no usable answer. What concerns everybody is logged once while it lasts, and what concerns single
   * replies once an hour. Nothing else is.
   */
  failed(code: string, failure: ModelFailure, said: string | null, isReply: boolean): Effect.Effect<void> {
    const { fix, isOutage } = MODEL_FAILURES[failure]
    if (failure === "over_budget" || (!isReply && !isOutage)) return Effect.void
    if (failure === "loading") return Effect.andThen(this.loading(), this.#report(code, failure, said, fix))
    const isLoading = this.#state === "loading"
    if (!isLoading && isOutage) this.#state = "failing"
    const reported = isLoading && failure === "timeout" ? "loading" : failure
    this.#failure = reported
    this.#said = said
    const report = this.#report(code, reported, said, MODEL_FAILURES[reported].fix)
    return isOutage ? report : this.#hourly(failure, report)
  }

  #hourly(what: string, log: Effect.Effect<void>): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (now - (this.#loggedMs.get(what) ?? Number.NEGATIVE_INFINITY) < HOUR_MS) return Effect.void
      this.#loggedMs.set(what, now)
      return log
    })
  }

  #report(code: string, failure: ModelFailure, said: string | null, fix: string): Effect.Effect<void> {
    return modelDependency.failed(code, { model: this.model }, { reason: failure, fix, ...(said !== null && { said }) })
  }

  /** It does not answer, and is given the time to load. */
  loading(): Effect.Effect<void> {
    if (this.#state === "loading") return Effect.void
    this.#state = "loading"
    this.#failure = "loading"
    return Effect.logWarning("model still loading", {
      model: this.model,
      setting: "OPENAI_TIMEOUT_SECONDS",
      fix: MODEL_FAILURES.loading.fix
    })
  }

  /** It was given the time, and did not load. */
  notLoaded(): void {
    if (this.#state === "loading") this.#state = "failing"
  }

  /** An answer reached its length limit. Logged once an hour. */
  cut(maxTokens: number): Effect.Effect<void> {
    return this.#hourly(
      "answer",
      Effect.logWarning("answer cut at the token limit", {
        model: this.model,
        setting: "OPENAI_MAX_TOKENS",
        max_tokens: maxTokens,
        fix: MODEL_FAILURES.cut.fix
      })
    )
  }

  figures(nowMs: number): Figures {
    return {
      model: this.model,
      state: this.#state,
      reason: this.#failure,
      said: this.#said,
      ...this.#findings(nowMs)
    }
  }
}

const HOUR_MS = 60 * 60_000

let replyModel: ModelCondition | undefined

/** From now on, health shows this one. */
export const showInHealth = (condition: ModelCondition): void => {
  replyModel = condition
}

/** The model that writes the replies of this process. Undefined: the offline engine does, or another process. */
export const shownInHealth = (): ModelCondition | undefined => replyModel
