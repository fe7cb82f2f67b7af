import * as Redacted from "effect/Redacted"
import OpenAI from "openai"
import { boundedFetch } from "#channels/outbound/boundedFetch.ts"

export const OPENAI_URL = "https://api.openai.com/v1"

/**
 * Only our settings configure the client: it reads no key, address or organization from the environment, and logs
 * nothing.
 */
export const makeClient = (
  { apiKey, baseUrl }: { readonly apiKey: Redacted.Redacted<string>; readonly baseUrl?: string | null },
  maxAnswerBytes: number
): OpenAI =>
  new OpenAI({
    apiKey: Redacted.value(apiKey),
    baseURL: baseUrl ?? OPENAI_URL,
    organization: null,
    project: null,
    adminAPIKey: null,
    maxRetries: 0,
    logLevel: "off",
    fetch: boundedFetch(maxAnswerBytes)
  })
