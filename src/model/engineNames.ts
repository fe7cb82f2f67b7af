/**
 * The engines that write replies, as every answer, trace and page names them (pipeline.md 9). Health calls the first
 * kind `offline` and the second `live`.
 */
export const OFFLINE_ENGINE = "offline-retrieval.v1"
export const MODEL_ENGINE = "openai-compatible"

/** The engine kind as health reports it. */
export const engineKind = (engine: string): "offline" | "live" => (engine === OFFLINE_ENGINE ? "offline" : "live")
