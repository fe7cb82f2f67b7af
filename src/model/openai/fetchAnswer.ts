import * as Redacted from "effect/Redacted"
import { boundedFetch } from "#channels/outbound/boundedFetch.ts"
import { isStream, STREAM_END } from "./joinStream.ts"
import { OPENAI_URL } from "./makeClient.ts"

/** Several times as much as the longest answer that can be requested, with the thinking that servers send along. */
const MAX_ANSWER_BYTES = 1_000_000
/** How far back the end of a stream is looked for when a further piece arrives. */
const TAIL_CHARS = 40

export interface Fetched {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

export interface Address {
  readonly apiKey: Redacted.Redacted<string>
  /** Up to and including `/v1`. OpenAI's own if missing. */
  readonly baseUrl?: string | null
}

/** The text of an answer. A stream has ended when it says so, even if the server leaves the connection open. */
const textOf = async (response: Response): Promise<string> => {
  if (response.body === null) return ""
  const decoder = new TextDecoder()
  let text = ""
  for await (const chunk of response.body) {
    const from = Math.max(0, text.length - TAIL_CHARS)
    text += decoder.decode(chunk, { stream: true })
    if (STREAM_END.test(text.slice(from)) && isStream(text)) return text
  }
  return text + decoder.decode()
}

/** Posts a chat completion and returns whatever comes back. Rejects only if no complete answer arrives. */
export const makeFetchAnswer = ({ apiKey, baseUrl }: Address) => {
  const url = `${(baseUrl ?? OPENAI_URL).replace(/\/{1,9}$/, "")}/chat/completions`
  const fetchBounded = boundedFetch(MAX_ANSWER_BYTES)
  const headers = {
    accept: "application/json",
    "content-type": "application/json",
    authorization: `Bearer ${Redacted.value(apiKey)}`
  }
  return async (body: object, signal: AbortSignal): Promise<Fetched> => {
    const response = await fetchBounded(url, { method: "POST", headers, body: JSON.stringify(body), signal })
    return { status: response.status, headers: response.headers, body: await textOf(response) }
  }
}
