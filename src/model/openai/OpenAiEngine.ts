import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Critic, Critique, Rewrite } from "#pipeline/critic/Critic.ts"
import { critiquePrompt, rewritePrompt } from "#pipeline/critic/criticPrompt.ts"
import { prompt } from "#pipeline/generation/prompt.ts"
import { Judge, Judgement } from "#pipeline/evals/judge/Judge.ts"
import { Reply, Writer } from "#pipeline/generation/Writer.ts"
import { Analysis } from "#pipeline/grounding/Analysis.ts"
import { Analyst } from "#pipeline/grounding/Analyst.ts"
import { analyzePrompt } from "#pipeline/grounding/analyzePrompt.ts"
import { Continuity, continuityPrompt, Contradictions } from "#pipeline/readiness/Continuity.ts"
import { Extraction } from "#pipeline/relational/Extraction.ts"
import { Extractor } from "#pipeline/relational/Extractor.ts"
import { extractPrompt } from "#pipeline/relational/extractPrompt.ts"
import { Readings, readPrompt, SourceReader } from "#pipeline/research/SourceReader.ts"
import { makeAsk } from "./ask.ts"
import type { OpenAiOptions } from "./call.ts"
import { TEMPERATURE_REFUSED } from "./failure.ts"
import { formatOf } from "./Format.ts"

const paragraphs = (text: string): ReadonlyArray<string> => text.split(/\n\s*\n/).map((part) => part.trim()).filter((part) => part !== "")

const REPLY = formatOf("reply", Reply, (text): Reply => ({ decision: "reply", exit_reason: null, bubbles: paragraphs(text), cited_memory_ids: [] }))
const ANALYSIS = formatOf("analysis", Analysis)
const CRITIQUE = formatOf("critique", Critique)
const REWRITE = formatOf("rewrite", Rewrite)
const EXTRACTION = formatOf("extraction", Extraction)
const JUDGEMENT = formatOf("judgement", Judgement)
const FINDINGS = formatOf("findings", Readings)
const CONTRADICTIONS = formatOf("contradictions", Contradictions)

export interface OpenAiEngineOptions extends OpenAiOptions {
  /** The model that reads a message before `model` answers it, and the turn afterwards. */
  readonly analyzeModel: string
}

/** A model behind an OpenAI-compatible address, in every part that a model plays in a turn. */
export const layer = (options: OpenAiEngineOptions): Layer.Layer<Writer> => Layer.effectContext(Effect.gen(function*() {
  const ask = yield* makeAsk(options)
  const askAnalyst = options.analyzeModel === options.model ? ask : yield* makeAsk({ ...options, model: options.analyzeModel })
  const writer = Writer.of({
    engine: "openai-compatible",
    model: options.model,
    write: (request) => Effect.map(ask({ format: REPLY, messages: prompt(request), onSpent: request.onSpent }), ({ value, usage }) => ({ reply: value, usage }))
  })
  const analyst: Analyst = {
    analyze: (request) => Effect.map(askAnalyst({ format: ANALYSIS, messages: analyzePrompt(request), onSpent: request.onSpent }), ({ value, usage }) => ({ analysis: value, usage }))
  }
  const critic: Critic = {
    critique: (request) => Effect.map(ask({ format: CRITIQUE, messages: critiquePrompt(request), onSpent: request.onSpent }), ({ value, usage }) => ({ critique: value, usage })),
    rewrite: (request) => Effect.map(ask({ format: REWRITE, messages: rewritePrompt(request), onSpent: request.onSpent }), ({ value, usage }) => ({ bubbles: value.bubbles, usage }))
  }
  const extractor: Extractor = {
    // What it costs is booked when the turn has been read: one that dies on the way is read again.
    extract: (request) => Effect.map(askAnalyst({ format: EXTRACTION, messages: extractPrompt(request), onSpent: () => Effect.void }), ({ value, usage }) => ({ extraction: value, usage }))
  }
  const askExactly = yield* makeAsk({ ...options, temperature: 0 })
  const judge: Judge = {
    model: options.model,
    judge: (messages) => {
      const question = { format: JUDGEMENT, messages, onSpent: () => Effect.void }
      return askExactly(question).pipe(
        Effect.map((answer) => ({ ...answer, temperature: 0 })),
        Effect.catchIf(({ code }) => code === TEMPERATURE_REFUSED, () => Effect.map(ask(question), (answer) => ({ ...answer, temperature: null }))),
        Effect.map(({ value, usage, temperature }) => ({ judgement: value, usage, temperature }))
      )
    }
  }
  const continuity: Continuity = {
    read: (character) => Effect.map(ask({ format: CONTRADICTIONS, messages: continuityPrompt(character), onSpent: () => Effect.void }), ({ value, usage }) => ({ found: value, usage }))
  }
  const reader: SourceReader = {
    read: (request) => Effect.map(ask({ format: FINDINGS, messages: readPrompt(request), onSpent: () => Effect.void }), ({ value, usage }) => ({ readings: value, usage }))
  }
  return Context.make(Writer, writer).pipe(Context.add(SourceReader, reader), Context.add(Continuity, continuity), Context.add(Analyst, analyst), Context.add(Critic, critic), Context.add(Extractor, extractor), Context.add(Judge, judge))
}))
