import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Critic, Critique, Rewrite } from "#pipeline/critic/Critic.ts"
import { critiquePrompt, rewritePrompt } from "#pipeline/critic/criticPrompt.ts"
import type { Character } from "#pipeline/domain/Character.ts"
import { citationsOf } from "#pipeline/generation/citations.ts"
import { isPlain, prompt } from "#pipeline/generation/prompt.ts"
import { Judge, Judgement } from "#pipeline/evals/judge/Judge.ts"
import { Writer } from "#pipeline/generation/Writer.ts"
import { Analysis } from "#pipeline/grounding/Analysis.ts"
import { Analyst } from "#pipeline/grounding/Analyst.ts"
import { analyzePrompt } from "#pipeline/grounding/analyzePrompt.ts"
import { Continuity, continuityPrompt, Contradictions } from "#pipeline/readiness/Continuity.ts"
import { Extraction } from "#pipeline/relational/Extraction.ts"
import { Extractor } from "#pipeline/relational/Extractor.ts"
import { extractPrompt } from "#pipeline/relational/extractPrompt.ts"
import { Readings, readPrompt, SourceReader } from "#pipeline/research/SourceReader.ts"
import { ModelCondition, showInHealth } from "#src/health/ModelCondition.ts"
import { Prices } from "../prices.ts"
import { notesTokens } from "../reservation.ts"
import { makeAsk, type Question } from "./ask.ts"
import { MAX_TOKENS, type OpenAiOptions, type Sampling } from "./call.ts"
import { formatOf } from "./Format.ts"
import { MODEL_ENGINE } from "#src/model/engineNames.ts"
import type { JsonMode } from "./jsonModes.ts"
import { Learned } from "./learned.ts"
import { MAX_CHARS, PLAIN_REPLY, REPLY } from "./replyFormats.ts"
import { mostOf } from "./usage.ts"

/** The bubbles, cut to what the gate for the length still refuses. */
const clipped = (bubbles: ReadonlyArray<string>): ReadonlyArray<string> => {
  let left = MAX_CHARS
  const kept: Array<string> = []
  for (const bubble of bubbles) {
    if (left <= 0) break
    kept.push(bubble.slice(0, left).toWellFormed())
    left -= bubble.length + 1
  }
  return kept
}

const ANALYSIS = formatOf("analysis", Analysis)
const CRITIQUE = formatOf("critique", Critique)
const REWRITE = formatOf("rewrite", Rewrite)
const EXTRACTION = formatOf("extraction", Extraction)
const JUDGEMENT = formatOf("judgement", Judgement)
const FINDINGS = formatOf("findings", Readings)
const CONTRADICTIONS = formatOf("contradictions", Contradictions)

/** What the analysis of a message may add to the prompt of the reply. */
const ANALYSIS_BYTES = 6_000

export interface OpenAiEngineOptions extends OpenAiOptions {
  /**
   * The model that analyzes messages before `model` answers them, and extracts memories afterwards. Null: rules do
   * both.
   */
  readonly analyzeModel: string | null
  /** How long an answer may wait for the analysis of its message. */
  readonly analyzeTimeout?: Duration.Input
  readonly json?: JsonMode
  /** Sampling of replies, if the character does not set its own. */
  readonly sampling?: Sampling
}

/** A model behind an OpenAI-compatible API, for everything that a model does in a turn. */
export const layer = (options: OpenAiEngineOptions): Layer.Layer<Writer> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const longest = options.maxTokens ?? MAX_TOKENS
      const setUp = Effect.fnUntraced(function* (model: string) {
        const learned = new Learned(options.json ?? "auto", options.baseUrl)
        const condition = new ModelCondition(model, (now) => ({ ...learned.findings(now) }))
        return { learned, condition, ask: yield* makeAsk({ ...options, model }, learned, condition) }
      })
      const { learned, condition, ask } = yield* setUp(options.model)
      showInHealth(condition)
      const askAnalyst =
        options.analyzeModel === null || options.analyzeModel === options.model
          ? ask
          : (yield* setUp(options.analyzeModel)).ask

      const prices = yield* Prices
      const maxTokensOf = ({ generation }: Character) => Math.min(generation.max_tokens ?? longest, longest)
      /** For text in the character's voice. */
      const askInVoice = <A>(character: Character, question: Omit<Question<A>, "sampling">) => {
        const { temperature, frequency_penalty, presence_penalty } = character.generation
        return ask({
          ...question,
          sampling: {
            maxTokens: maxTokensOf(character),
            temperature: temperature ?? options.sampling?.temperature,
            frequencyPenalty: frequency_penalty ?? options.sampling?.frequencyPenalty,
            presencePenalty: presence_penalty ?? options.sampling?.presencePenalty
          }
        })
      }
      const notes = { maxTokens: notesTokens(longest) }
      const asksPlainly = options.json !== "schema" && options.json !== "object"

      const writer = Writer.of({
        engine: MODEL_ENGINE,
        model: options.model,
        mostMicroUsd: (request) => {
          const bytes = REPLY.schemaBytes + (options.analyzeModel === null ? 0 : ANALYSIS_BYTES)
          return prices.costMicroUsd(options.model, mostOf(prompt(request), bytes, maxTokensOf(request.turn.character)))
        },
        write: (request) =>
          Effect.gen(function* () {
            const { onSpent } = request
            // Models write better in plain text, and need JSON only if there is something to decide.
            const isProse = asksPlainly && (isPlain(request) || learned.isProse(yield* Clock.currentTimeMillis))
            const inProse = { format: PLAIN_REPLY, messages: () => prompt(request, "plain") }
            const { value, usage, notes } = yield* askInVoice(request.turn.character, {
              format: isProse ? PLAIN_REPLY : REPLY,
              messages: prompt(request, isProse ? "plain" : "json"),
              hasHistory: true,
              onSpent,
              ...(asksPlainly && !isProse && { inProse })
            })
            for (const note of notes) request.onNote?.(note)
            const bubbles = clipped(value.bubbles)
            return { reply: { ...value, bubbles, cited_memory_ids: citationsOf(bubbles, request) }, usage }
          })
      })
      const analyst: Analyst | null =
        options.analyzeModel === null
          ? null
          : {
              ...(options.analyzeTimeout !== undefined && { timeout: options.analyzeTimeout }),
              analyze: (request) =>
                Effect.map(
                  askAnalyst({
                    format: ANALYSIS,
                    messages: analyzePrompt(request),
                    sampling: notes,
                    onSpent: request.onSpent
                  }),
                  ({ value, usage }) => ({ analysis: value, usage })
                )
            }
      const critic: Critic = {
        critique: (request) =>
          Effect.map(
            ask({ format: CRITIQUE, messages: critiquePrompt(request), sampling: notes, onSpent: request.onSpent }),
            ({ value, usage }) => ({ critique: value, usage })
          ),
        rewrite: (request) =>
          Effect.map(
            askInVoice(request.turn.character, {
              format: REWRITE,
              messages: rewritePrompt(request),
              onSpent: request.onSpent
            }),
            ({ value, usage }) => ({ bubbles: clipped(value.bubbles), usage })
          )
      }
      const extractor: Extractor | null =
        options.analyzeModel === null
          ? null
          : {
              // The cost is booked when extraction has finished. If it dies, it runs again.
              extract: (request) =>
                Effect.map(
                  askAnalyst({
                    format: EXTRACTION,
                    messages: extractPrompt(request),
                    sampling: notes,
                    onSpent: () => Effect.void
                  }),
                  ({ value, usage }) => ({ extraction: value, usage })
                )
            }
      const judge: Judge = {
        model: options.model,
        judge: (messages) => {
          return Effect.map(
            ask({
              format: JUDGEMENT,
              messages,
              sampling: { ...notes, temperature: 0 },
              onSpent: () => Effect.void
            }),
            ({ value, usage, isSampled }) => ({ judgement: value, usage, temperature: isSampled ? 0 : null })
          )
        }
      }
      const continuity: Continuity = {
        read: (character) =>
          Effect.map(
            ask({
              format: CONTRADICTIONS,
              messages: continuityPrompt(character),
              sampling: notes,
              onSpent: () => Effect.void
            }),
            ({ value, usage }) => ({ found: value, usage })
          )
      }
      const reader: SourceReader = {
        read: (request) =>
          Effect.map(
            ask({ format: FINDINGS, messages: readPrompt(request), sampling: notes, onSpent: () => Effect.void }),
            ({ value, usage }) => ({ readings: value, usage })
          )
      }
      return Context.make(Writer, writer).pipe(
        Context.add(SourceReader, reader),
        Context.add(Continuity, continuity),
        Context.add(Analyst, analyst),
        Context.add(Critic, critic),
        Context.add(Extractor, extractor),
        Context.add(Judge, judge)
      )
    })
  )
