import { ApiError, type ErrorFields } from "#src/http/server/ApiError.ts"

/** The result of a thread. An error is passed by its fields, because class instances cannot be transferred. */
export type Outcome<A> = { readonly value: A } | { readonly refused: ErrorFields }

/** What comes of work on a thread, where it may throw an ApiError. */
export const outcomeOf = async <A>(work: () => A | Promise<A>): Promise<Outcome<A>> => {
  try {
    return { value: await work() }
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown
    const { status, code, message, fix, field } = thrown
    return { refused: { status, code, message, fix, field } }
  }
}
