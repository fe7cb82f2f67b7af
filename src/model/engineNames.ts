/**
 * The engines that write replies, as every answer, trace and page calls them (pipeline.md 9). Health calls the first
 * kind `offline` and the second `live`.
 */
export const OFFLINE_ENGINE = "offline-retrieval.v1"
export const MODEL_ENGINE = "openai-compatible"

/** As health says it. */
export const engineKind = (engine: string): "offline" | "live" => (engine === OFFLINE_ENGINE ? "offline" : "live")
