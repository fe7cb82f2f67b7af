import type { NextAction } from "./generated/types.gen.ts"
import type { Answered } from "./transport.ts"

/** The data of an answer, with the answer itself. */
export interface WithResponse<Data> {
  readonly data: Data
  /** Commands that may be useful next. */
  readonly nextActions: ReadonlyArray<NextAction>
  readonly requestId: string | null
  /** The response. Its body has been read: the text of it is `text`. */
  readonly response: Response
  readonly text: string
}

/** The data of the answer to a request, which is sent when it is awaited for the first time. */
export class ApiPromise<Data> implements PromiseLike<Data> {
  readonly #send: () => Promise<Answered>
  #answered: Promise<WithResponse<Data>> | undefined

  constructor(send: () => Promise<Answered>) {
    this.#send = send
  }

  /** The data together with the response, its request id and next actions. */
  withResponse(): Promise<WithResponse<Data>> {
    this.#answered ??= this.#send().then(({ response, text, requestId }) => {
      const { data, next_actions } = JSON.parse(text) as { data: Data; next_actions: ReadonlyArray<NextAction> }
      return { data, nextActions: next_actions, requestId, response, text }
    })
    return this.#answered
  }

  #data(): Promise<Data> {
    return this.withResponse().then(({ data }) => data)
  }

  // It is awaited like the promise of the data that it stands for.
  // oxlint-disable-next-line unicorn/no-thenable
  then<A = Data, B = never>(
    onData?: ((data: Data) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null
  ): Promise<A | B> {
    return this.#data().then(onData, onError)
  }

  catch<B = never>(onError?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<Data | B> {
    return this.#data().catch(onError)
  }

  finally(onEnd?: (() => void) | null): Promise<Data> {
    return this.#data().finally(onEnd)
  }
}

/** A page of a list when it is awaited, and every item of the list, page after page, in `for await`. */
export class ListPromise<Data extends { readonly next_cursor: string | null }, Item>
  extends ApiPromise<Data>
  implements AsyncIterable<Item>
{
  readonly #key: keyof Data
  readonly #after: (cursor: string) => ListPromise<Data, Item>

  constructor(send: () => Promise<Answered>, key: keyof Data, after: (cursor: string) => ListPromise<Data, Item>) {
    super(send)
    this.#key = key
    this.#after = after
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let { data } = await this.withResponse()
    for (;;) {
      yield* data[this.#key] as Iterable<Item>
      if (data.next_cursor === null) return
      data = (await this.#after(data.next_cursor).withResponse()).data
    }
  }
}
