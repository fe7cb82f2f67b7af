import { errorValueIn, isObject, type Json } from "./serverError.ts"

/** Whether a text is a stream of server-sent events, whatever its content type says. */
export const isStream = (text: string): boolean => /^\s{0,20}(?:data|event|id|retry|error)?:/.test(text)

/** What ends a stream. */
export const STREAM_END = /(?:^|[\r\n])data: ?\[DONE\]/

/** The value of an event. Of one that is named an error, or is written in its place, the error. */
const valueOf = (name: string, text: string): Json | null => {
  let value: unknown = null
  try {
    value = JSON.parse(text)
  } catch {
    // An event that broke off. Without a reason to finish, the stream counts as cut.
  }
  if (name !== "error") return isObject(value) ? value : null
  return { error: isObject(value) ? (errorValueIn(value) ?? value) : text }
}

/** The JSON values of a stream's events. Comments, such as those that keep a connection open, are skipped. */
const eventsOf = (stream: string): ReadonlyArray<Json> => {
  const events: Array<Json> = []
  let data: Array<string> = []
  let name = ""
  const flush = () => {
    const text = data.join("\n").trim()
    const value = text === "" || text === "[DONE]" ? null : valueOf(name, text)
    if (value !== null) events.push(value)
    data = []
    name = ""
  }
  for (const line of stream.split(/\r\n|\n|\r/)) {
    if (line === "") flush()
    else if (line.startsWith("event:")) name = line.slice("event:".length).trim()
    else if (line.startsWith("error:")) {
      flush()
      events.push(valueOf("error", line.slice("error:".length).trim()) ?? {})
    } else if (line.startsWith("data:")) {
      // Some servers leave out the blank line between two events.
      if (data.length > 0 && /^data: ?(?:\{|\[DONE\])/.test(line)) flush()
      data.push(line.slice(line.startsWith("data: ") ? 6 : 5))
    }
  }
  flush()
  return events
}

const indexOf = (choice: unknown): number => (isObject(choice) ? Number(choice["index"] ?? 0) : Number.NaN)
const choicesOf = ({ choices }: Json): ReadonlyArray<unknown> => (Array.isArray(choices) ? choices : [])

/** Fields of a delta whose text grows from event to event. */
const GROWING = ["content", "reasoning", "reasoning_content", "refusal", "thinking"] as const

/**
 * The answer that a stream spells: the object that the server would have sent without a stream. `isComplete`: it said
 * why it finished, or that it is done.
 */
export const joinStream = (stream: string): { readonly answer: Json; readonly isComplete: boolean } => {
  const message: Record<string, unknown> = {}
  let finish: unknown = null
  let usage: unknown
  let failure: unknown
  let hasChoice = false
  const events = eventsOf(stream)
  // Of several choices, whose events are mixed, the first is the answer.
  const first = events
    .flatMap(choicesOf)
    .map(indexOf)
    .filter(Number.isFinite)
    .reduce((a, b) => Math.min(a, b), Infinity)
  for (const event of events) {
    usage = event["usage"] ?? usage
    failure ??= errorValueIn(event, true)
    const choice = choicesOf(event).find((one) => indexOf(one) === first)
    if (!isObject(choice)) continue
    hasChoice = true
    failure ??= choice["error"]
    finish = choice["finish_reason"] ?? finish
    const delta = choice["delta"] ?? choice["message"] ?? { content: choice["text"] }
    if (!isObject(delta)) continue
    for (const field of GROWING) {
      const more = delta[field]
      const known = message[field]
      if (typeof more === "string" && typeof (known ?? "") === "string")
        message[field] = `${typeof known === "string" ? known : ""}${more}`
      else if (Array.isArray(more)) message[field] = [...(Array.isArray(known) ? known : []), ...more]
    }
  }
  return {
    answer: {
      choices: hasChoice ? [{ message, finish_reason: finish }] : [],
      ...(usage !== undefined && { usage }),
      ...(failure !== undefined && failure !== null && { error: failure })
    },
    isComplete: finish !== null || STREAM_END.test(stream) || (failure !== undefined && failure !== null)
  }
}
