/** The server sent more than any answer needs. */
export class AnswerTooLarge extends Error {}
/** The connection ended in the middle of an answer. */
export class AnswerCut extends Error {}

async function* within(maxBytes: number, body: AsyncIterable<Uint8Array>) {
  let left = maxBytes
  try {
    for await (const chunk of body) {
      left -= chunk.byteLength
      if (left < 0) throw new AnswerTooLarge("The answer is too large.")
      yield chunk
    }
  } catch (cause) {
    throw cause instanceof AnswerTooLarge ? cause : new AnswerCut("The answer is not complete.", { cause })
  }
}

/** A fetch that gives up on an answer with more than this many bytes, however slowly they arrive. */
export const boundedFetch =
  (maxBytes: number) =>
  async (...request: Parameters<typeof fetch>): Promise<Response> => {
    const { body, status, statusText, headers } = await fetch(...request)
    return new Response(body === null ? null : ReadableStream.from(within(maxBytes, body)), {
      status,
      statusText,
      headers
    })
  }
