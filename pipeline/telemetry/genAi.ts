/** Names of attributes by OpenTelemetry's conventions for generative AI, and ours. The only place that has them. */
export const GEN_AI = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  requestModel: "gen_ai.request.model",
  maxTokens: "gen_ai.request.max_tokens",
  temperature: "gen_ai.request.temperature",
  outputType: "gen_ai.output.type",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  finish: "gen_ai.response.finish_reasons",
  /** Only with OTEL_CAPTURE_CONTENT. */
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
  error: "error.type",
  cachedTokens: "troupe.usage.cached_input_tokens",
  purpose: "troupe.purpose"
} as const

export const TROUPE = {
  app: "troupe.app_id",
  session: "troupe.session_id",
  run: "troupe.run_ref",
  turn: "troupe.turn_index",
  fence: "troupe.fence",
  outcome: "troupe.outcome",
  channel: "troupe.channel_id",
  channelKind: "troupe.channel_kind",
  event: "troupe.event_id"
} as const
