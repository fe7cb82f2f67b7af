type Json = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether a text is a stream of server-sent events, whatever its content type says. */
export const isStream = (text: string): boolean => /^\s{0,20}(?:data:|event:|id:|retry:|: )/.test(text)

/** What ends a stream. */
export const STREAM_END = /(?:^|\n)data: ?\[DONE\]/

/** The JSON values of a stream's events. Comments, such as those that keep a connection open, are skipped. */
const eventsOf = (stream: string): ReadonlyArray<Json> => {
  const events: Array<Json> = []
  let data: Array<string> = []
  const flush = () => {
    const text = data.join("\n")
    data = []
    if (text === "" || text.trim() === "[DONE]") return
    try {
      const value: unknown = JSON.parse(text)
      if (isObject(value)) events.push(value)
    } catch {
      // An event that broke off. Without a reason to finish, the stream counts as cut.
    }
  }
  for (const line of stream.split(/\r\n|\n|\r/)) {
    if (line === "") flush()
    else if (line.startsWith("data:")) {
      // Some servers leave out the blank line between two events.
      if (data.length > 0 && /^data: ?(?:\{|\[DONE\])/.test(line)) flush()
      data.push(line.slice(line.startsWith("data: ") ? 6 : 5))
    }
  }
  flush()
  return events
}

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
  for (const event of eventsOf(stream)) {
    usage = event["usage"] ?? usage
    failure ??= event["error"]
    const choice: unknown = Array.isArray(event["choices"]) ? event["choices"][0] : undefined
    if (!isObject(choice)) continue
    hasChoice = true
    failure ??= choice["error"]
    finish = choice["finish_reason"] ?? finish
    const delta = choice["delta"] ?? choice["message"]
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
