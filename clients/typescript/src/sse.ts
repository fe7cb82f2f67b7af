import { createParser, type EventSourceMessage } from "eventsource-parser"
import { ConnectionError } from "./errors.ts"

/** The server sends something every fifteen seconds, so a connection that is silent for longer than this is dead. */
const SILENCE_MS = 45_000
const LONGEST_FRAME = 16 * 1024 * 1024

export interface Frame {
  /** The cursor after this event. */
  readonly id: string
  readonly data: string
}

/** The next chunk, or a ConnectionError if the connection breaks or stays silent. */
const nextChunk = async (reader: ReadableStreamDefaultReader<Uint8Array>) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ConnectionError(`the stream was silent for ${SILENCE_MS} ms`)), SILENCE_MS)
  })
  try {
    return await Promise.race([reader.read(), silence])
  } catch (cause) {
    throw cause instanceof ConnectionError ? cause : new ConnectionError("the stream broke", { cause })
  } finally {
    clearTimeout(timer)
  }
}

/** The server-sent events of a response, until it ends. `onRetry`: how long the server wants readers to wait. */
export async function* framesOf(response: Response, onRetry: (ms: number) => void): AsyncGenerator<Frame, void> {
  const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined
  if (reader === undefined) return
  const cut: Array<EventSourceMessage> = []
  const parser = createParser({ onEvent: (message) => cut.push(message), onRetry, maxBufferSize: LONGEST_FRAME })
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await nextChunk(reader)
      if (done) return
      parser.feed(decoder.decode(value, { stream: true }))
      for (const { id = "", data } of cut.splice(0)) yield { id, data }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
