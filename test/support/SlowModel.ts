import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { NOTHING_EXTRACTED } from "#pipeline/relational/Extraction.ts"
import { until } from "./until.ts"

/**
 * One reply request, as the model server got it. Analysis and extraction requests are answered at once and are free.
 */
export interface ModelCall {
  /** When it began, by `performance.now()` of this process. */
  readonly at: number
  /** The user's last message: the last message of the request. */
  readonly prompt: string
  /** When it was answered or aborted. 0 while it is in progress. */
  readonly endedAt: () => number
  /** Answers it now, with a reply or with this content. */
  readonly release: (content?: string) => void
}

export interface SlowModel {
  /** For OPENAI_BASE_URL. */
  readonly baseUrl: string
  /** All requests so far, in order of arrival. */
  readonly calls: ReadonlyArray<ModelCall>
  /** The nth request (from 1), once it has arrived. */
  readonly call: (n: number) => Promise<ModelCall>
  /** From now on each request is answered after this many milliseconds. `null`: only when the test releases it. */
  readonly answerAfter: (delayMs: number | null) => void
  readonly close: () => Promise<void>
}

/** The usage that the slow model reports for each call. */
export const SLOW_USAGE = {
  prompt_tokens: 2_000,
  completion_tokens: 100,
  total_tokens: 2_100,
  prompt_tokens_details: { cached_tokens: 0 }
}

const SOUPS = ["Leek", "Barley", "Carrot", "Onion", "Fish", "Pea", "Mushroom"]
/** All different, because a character that repeats itself is refused. */
const replyOf = (n: number) =>
  JSON.stringify({
    decision: "reply",
    exit_reason: null,
    bubbles: [`${SOUPS[n % SOUPS.length] ?? ""} soup, bowl ${n}.`],
    cited_memory_ids: []
  })

const ANALYSIS = JSON.stringify({
  intent: "smalltalk",
  asks_about: ["nothing"],
  relevant_memory_ids: [],
  contradictions: [],
  safety: { action: "allow", categories: [], injection: false },
  knows: [],
  unknown: [],
  must_not_reveal: [],
  emotion_of_user: "neutral"
})
const READ: Readonly<Record<string, string>> = { analysis: ANALYSIS, extraction: JSON.stringify(NOTHING_EXTRACTED) }
const NO_USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }

const completion = (n: number, content: string, usage: object = SLOW_USAGE) => ({
  id: `chatcmpl-${n}`,
  object: "chat.completion",
  created: 1_700_000_000,
  model: "slow-model",
  choices: [
    {
      index: 0,
      finish_reason: "stop",
      message: { role: "assistant", refusal: null, content }
    }
  ],
  usage
})

const bodyOf = async (request: IncomingMessage) => {
  let text = ""
  for await (const chunk of request) text += chunk
  return JSON.parse(text)
}

/** A slow model with an OpenAI-compatible API on loopback, so that a turn can be killed in the middle. */
export const startSlowModel = async (delayMs: number | null = null, reply = replyOf): Promise<SlowModel> => {
  const calls: Array<ModelCall> = []
  let delay = delayMs

  const complete = async (request: IncomingMessage, response: ServerResponse) => {
    const at = performance.now()
    let endedAt = 0
    response.on("close", () => {
      endedAt = performance.now()
    })
    const { messages, response_format } = await bodyOf(request)
    const read = READ[response_format?.json_schema?.name]
    if (read !== undefined)
      return void response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify(completion(0, read, NO_USAGE)))
    const content: unknown = messages.at(-1)?.content
    const n = calls.length + 1
    const release = (content = reply(n)) => {
      if (response.writableEnded || response.destroyed) return
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion(n, content)))
    }
    calls.push({
      at,
      prompt: typeof content === "string" ? content : JSON.stringify(content),
      endedAt: () => endedAt,
      release
    })
    if (delay !== null) setTimeout(() => release(), delay)
  }
  const server = createServer((request, response) => {
    if (request.method !== "POST" || request.url !== "/v1/chat/completions") return void response.writeHead(404).end()
    complete(request, response).catch(() => response.destroy())
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the model server has no port")

  return {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    calls,
    call: (n) => until(`model call ${n}`, () => calls[n - 1]),
    answerAfter: (next) => {
      delay = next
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    }
  }
}
