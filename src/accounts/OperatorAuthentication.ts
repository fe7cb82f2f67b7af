import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { hash, timingSafeEqual } from "node:crypto"
import { bearerOf } from "./bearer.ts"

export class OperatorUnauthenticated extends Schema.TaggedError<OperatorUnauthenticated>()(
  "OperatorUnauthenticated",
  {}
) {}

// Digests are equally long, which the comparison requires.
const digestOf = (secret: string): Buffer => hash("sha256", secret, "buffer")

/** Authenticates the bearer of an operator route. Without a configured token, every bearer is refused. */
export class OperatorAuthentication extends Context.Service<
  OperatorAuthentication,
  {
    readonly authenticate: (authorization: string | undefined) => Effect.Effect<void, OperatorUnauthenticated>
  }
>()("src/accounts/OperatorAuthentication") {
  static readonly layer = (token: Redacted.Redacted | null) =>
    Layer.sync(OperatorAuthentication, () => {
      const expected = token === null ? null : digestOf(Redacted.value(token))
      return OperatorAuthentication.of({
        authenticate: (authorization) =>
          Effect.suspend(() => {
            const bearer = bearerOf(authorization)
            return expected !== null && bearer !== undefined && timingSafeEqual(expected, digestOf(bearer))
              ? Effect.void
              : Effect.fail(new OperatorUnauthenticated())
          })
      })
    })
}
