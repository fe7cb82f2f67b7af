import * as Schema from "effect/Schema"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { Reply } from "#pipeline/generation/Writer.ts"
import type { Analysis } from "#pipeline/grounding/Analysis.ts"
import { NOTHING_EXTRACTED } from "#pipeline/relational/Extraction.ts"
import { FakeEmbedder } from "./FakeEmbedder.ts"
import { FakeImageModel } from "./FakeImageModel.ts"
import { FakeTranscriber } from "./FakeTranscriber.ts"
import { PROVIDER_SECRET } from "./providerSecret.ts"

/**
 * How the fake answers one call. `bubbles` alone is a good reply. `fields` override the good answer to any other
 * question. `after` delays a good answer.
 */
export type Behaviour =
  | {
      readonly kind: "ok"
      readonly bubbles?: ReadonlyArray<string>
      readonly reply?: Partial<Reply>
      readonly fields?: Record<string, unknown>
      readonly after?: Promise<unknown>
    }
  | { readonly kind: "missing_usage"; readonly bubbles?: ReadonlyArray<string> }
  | { readonly kind: "reports_usage"; readonly usage: unknown }
  | { readonly kind: "plain_text"; readonly text: string }
  /** Plain text that stops at the length limit. */
  | { readonly kind: "cut_text"; readonly text: string }
  | { readonly kind: "truncated_json" }
  | { readonly kind: "wrong_schema"; readonly usage?: unknown }
  | { readonly kind: "refusal" }
  | { readonly kind: "rate_limited"; readonly retryAfter?: string }
  | { readonly kind: "server_error" }
  | { readonly kind: "status"; readonly status: number; readonly body: unknown }
  /** 400 if a `response_format` is requested, or else a good reply, like an old compatible server. */
  | { readonly kind: "rejects_format" }
  | { readonly kind: "stall" }
  /** Begins an answer, and stops in the middle. */
  | { readonly kind: "stalled_body" }
  /** Begins an answer, and closes the connection in the middle. */
  | { readonly kind: "cut_body" }
  /** Begins an answer, and sends white space until the connection is closed. */
  | { readonly kind: "endless" }
  | { readonly kind: "reset" }

const QUESTIONS = [
  "reply",
  "analysis",
  "critique",
  "rewrite",
  "extraction",
  "contradictions",
  "findings",
  "judgement"
] as const
export type Question = (typeof QUESTIONS)[number]

export interface FakeRequest {
  readonly authorization: string | null
  readonly model: string
  /** The rung of the ladder of the request. */
  readonly format: "strict_schema" | "json_schema" | "json_object" | "text"
  /** The kind of question. */
  readonly question: Question
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }>
  /** The length limit and sampling options of the request. */
  readonly drawing: Readonly<Record<string, unknown>>
  /** Resolves when the connection of this request is closed, answered or abandoned. */
  readonly closed: Promise<void>
}

export interface FakeModel {
  /** The base URL for a client. */
  readonly url: string
  readonly requests: ReadonlyArray<FakeRequest>
  /**
   * Memory extraction calls after answered turns, which nothing waits for. They are not in `requests`, and only fail if
   * that is scripted.
   */
  readonly extractions: ReadonlyArray<FakeRequest>
  /** Resolves with the request of this index (from 0), once it has arrived. */
  readonly received: (index: number) => Promise<FakeRequest>
  /** Queues behaviours, one per reply call. */
  readonly script: (...behaviours: ReadonlyArray<Behaviour>) => void
  /** The same for calls of another question. */
  readonly scriptFor: (question: Question, ...behaviours: ReadonlyArray<Behaviour>) => void
  /** The transcription requests. */
  readonly transcriber: FakeTranscriber
  /** The embedding requests. */
  readonly embedder: FakeEmbedder
  /** The picture requests. */
  readonly imageModel: FakeImageModel
  readonly close: () => Promise<void>
}

export interface FakeModelOptions {
  /** What happens when the script is used up. A function gets the request and the number of calls before it. */
  readonly otherwise?: Behaviour | ((request: FakeRequest, index: number) => Behaviour)
  /** How extraction is answered if nothing is scripted for it. Default: a good answer. */
  readonly reading?: (request: FakeRequest) => Behaviour
}

export const FAKE_USAGE = {
  prompt_tokens: 1_000,
  completion_tokens: 50,
  total_tokens: 1_050,
  prompt_tokens_details: { cached_tokens: 400 }
}

const decodeBody = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      model: Schema.String,
      max_tokens: Schema.optionalKey(Schema.Unknown),
      max_completion_tokens: Schema.optionalKey(Schema.Unknown),
      temperature: Schema.optionalKey(Schema.Unknown),
      frequency_penalty: Schema.optionalKey(Schema.Unknown),
      presence_penalty: Schema.optionalKey(Schema.Unknown),
      messages: Schema.Array(Schema.Struct({ role: Schema.String, content: Schema.String })),
      response_format: Schema.optionalKey(
        Schema.Struct({
          type: Schema.Literals(["json_schema", "json_object"]),
          json_schema: Schema.optionalKey(
            Schema.Struct({ name: Schema.Literals(QUESTIONS), strict: Schema.optionalKey(Schema.Boolean) })
          )
        })
      )
    })
  )
)
type Body = ReturnType<typeof decodeBody>

/** Without a schema, the question is recognized by the fields that the prompt requests. */
const questionOf = ({ response_format, messages }: Body): Question => {
  const rules = messages[0]?.content ?? ""
  return (
    response_format?.json_schema?.name ??
    (rules.includes('{"reason":')
      ? "judgement"
      : rules.includes('{"intent":')
        ? "analysis"
        : rules.includes('{"signals":')
          ? "extraction"
          : rules.includes('{"flaws":')
            ? "critique"
            : rules.includes('{"contradictions":')
              ? "contradictions"
              : rules.includes('{"findings":')
                ? "findings"
                : rules.includes('{"bubbles":')
                  ? "rewrite"
                  : "reply")
  )
}

const formatOf = ({ response_format }: Body): FakeRequest["format"] =>
  response_format === undefined
    ? "text"
    : response_format.json_schema?.strict === true
      ? "strict_schema"
      : response_format.type

const readBody = async (request: IncomingMessage) => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
}

const SPACE = Buffer.alloc(65_536, " ")
function* endlessSpace() {
  while (true) yield SPACE
}

const error = (message: string, more: Record<string, unknown> = {}) => ({
  error: { message: `${message} ${PROVIDER_SECRET}`, type: "fake_error", ...more }
})

const completion = (
  response: ServerResponse,
  model: string,
  message: Record<string, unknown>,
  more: { readonly finish?: string; readonly usage?: unknown } = { usage: FAKE_USAGE }
): void =>
  json(response, 200, {
    id: "chatcmpl-fake",
    object: "chat.completion",
    created: 0,
    model,
    choices: [
      { index: 0, finish_reason: more.finish ?? "stop", message: { role: "assistant", refusal: null, ...message } }
    ],
    ...(more.usage !== undefined && { usage: more.usage })
  })

const GOOD_ANALYSIS: Analysis = {
  intent: "smalltalk",
  asks_about: ["nothing"],
  relevant_memory_ids: [],
  contradictions: [],
  safety: { action: "allow", categories: [], injection: false },
  knows: [],
  unknown: [],
  must_not_reveal: [],
  emotion_of_user: "neutral"
}

const replyText = (bubbles: ReadonlyArray<string> = ["hello from the fake"], reply: Partial<Reply> = {}) =>
  JSON.stringify({ decision: "reply", exit_reason: null, bubbles, cited_memory_ids: [], ...reply })

const goodText = (question: Question, { bubbles, reply, fields }: Extract<Behaviour, { kind: "ok" }>): string => {
  switch (question) {
    case "reply":
      return replyText(bubbles, reply)
    case "analysis":
      return JSON.stringify({ ...GOOD_ANALYSIS, ...fields })
    case "critique":
      return JSON.stringify({ flaws: [], rewrite: false, ...fields })
    case "judgement":
      return JSON.stringify({ reason: "It fits.", score: 4, flaws: [], better: null, ...fields })
    case "extraction":
      return JSON.stringify({ ...NOTHING_EXTRACTED, ...fields })
    case "contradictions":
      return JSON.stringify({ contradictions: [], ...fields })
    case "findings":
      return JSON.stringify({ findings: [], ...fields })
    case "rewrite":
      return JSON.stringify({ bubbles: bubbles ?? ["hello, rewritten"], ...fields })
  }
}

const answer = (behaviour: Behaviour, request: FakeRequest, response: ServerResponse): void => {
  const { model, question } = request
  switch (behaviour.kind) {
    case "ok":
      return completion(response, model, { content: goodText(question, behaviour) })
    case "missing_usage":
      return completion(
        response,
        model,
        {
          content: goodText(question, {
            kind: "ok",
            ...(behaviour.bubbles !== undefined && { bubbles: behaviour.bubbles })
          })
        },
        {}
      )
    case "reports_usage":
      return completion(response, model, { content: goodText(question, { kind: "ok" }) }, { usage: behaviour.usage })
    case "plain_text":
      return completion(response, model, { content: behaviour.text })
    case "cut_text":
      return completion(response, model, { content: behaviour.text }, { finish: "length", usage: FAKE_USAGE })
    case "truncated_json":
      return completion(
        response,
        model,
        { content: goodText(question, { kind: "ok" }).slice(0, -12) },
        { finish: "length", usage: FAKE_USAGE }
      )
    case "wrong_schema":
      return completion(
        response,
        model,
        { content: JSON.stringify({ decision: "maybe", text: "hello" }) },
        { usage: behaviour.usage ?? FAKE_USAGE }
      )
    case "refusal":
      return completion(response, model, { content: null, refusal: `I will not. ${PROVIDER_SECRET}` })
    case "rate_limited":
      return json(response, 429, error("slow down"), { "retry-after": behaviour.retryAfter ?? "0" })
    case "server_error":
      return json(response, 500, error("broken"))
    case "status":
      return json(response, behaviour.status, behaviour.body)
    case "rejects_format":
      return request.format === "text"
        ? completion(response, model, { content: goodText(question, { kind: "ok" }) })
        : json(
            response,
            400,
            error("response_format of type json_schema is not supported", { param: "response_format" })
          )
    case "stall":
      return
    case "stalled_body":
      return void response
        .writeHead(200, { "content-type": "application/json", "content-length": "1000" })
        .write('{"id":')
    case "cut_body":
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" })
      return void response.write('{"id":', () => response.destroy())
    case "endless":
      response.writeHead(200, { "content-type": "application/json" })
      return void pipeline(Readable.from(endlessSpace()), response).catch(() => {})
    case "reset":
      response.socket?.resetAndDestroy()
  }
}

/** A server on loopback with `POST /v1/chat/completions` that fails on demand. */
export const start = async (options: FakeModelOptions = {}): Promise<FakeModel> => {
  const { otherwise = { kind: "ok" } } = options
  const transcriber = new FakeTranscriber()
  const imageModel = new FakeImageModel()
  const embedder = new FakeEmbedder()
  const requests: Array<FakeRequest> = []
  const extractions: Array<FakeRequest> = []
  const waiting = new Map<number, PromiseWithResolvers<FakeRequest>>()
  const queues: Record<Question, Array<Behaviour>> = {
    reply: [],
    analysis: [],
    critique: [],
    rewrite: [],
    extraction: [],
    contradictions: [],
    findings: [],
    judgement: []
  }

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const closed = new Promise<void>((resolve) => response.once("close", resolve))
    const bytes = await readBody(incoming)
    if (incoming.method === "POST" && incoming.url === "/v1/audio/transcriptions")
      return transcriber.answer(incoming.headers, bytes, response)
    if (
      incoming.method === "POST" &&
      (incoming.url === "/v1/images/generations" || incoming.url === "/v1/images/edits")
    )
      return imageModel.answer(incoming.headers, bytes, response)
    if (incoming.method === "POST" && incoming.url === "/v1/embeddings") return embedder.answer(bytes, response)
    if (incoming.method !== "POST" || incoming.url !== "/v1/chat/completions")
      return json(response, 404, error("no such path"))
    const body = decodeBody(bytes.toString("utf8"))
    const { model: _, messages: __, response_format: ___, ...drawing } = body
    const request: FakeRequest = {
      authorization: incoming.headers.authorization ?? null,
      model: body.model,
      format: formatOf(body),
      question: questionOf(body),
      messages: body.messages,
      drawing,
      closed
    }
    if (request.question === "extraction") {
      extractions.push(request)
      const behaviour = queues.extraction.shift() ?? options.reading?.(request) ?? { kind: "ok" }
      if (behaviour.kind === "ok") await behaviour.after
      return answer(behaviour, request, response)
    }
    const index = requests.push(request) - 1
    waiting.get(index)?.resolve(request)
    const behaviour =
      queues[request.question].shift() ?? (typeof otherwise === "function" ? otherwise(request, index) : otherwise)
    if (behaviour.kind === "ok" && behaviour.after !== undefined) await behaviour.after
    answer(behaviour, request, response)
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    extractions,
    transcriber,
    embedder,
    imageModel,
    received: (index) => {
      const request = requests[index]
      if (request !== undefined) return Promise.resolve(request)
      const wait = waiting.get(index) ?? Promise.withResolvers<FakeRequest>()
      waiting.set(index, wait)
      return wait.promise
    },
    script: (...behaviours) => {
      queues.reply.push(...behaviours)
    },
    scriptFor: (question, ...behaviours) => {
      queues[question].push(...behaviours)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
