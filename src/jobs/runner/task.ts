import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** A task: the shape of its payload, and what to do. */
export const task = <S extends Schema.ConstraintDecoder<unknown>, E, R>(
  payload: S,
  work: (payload: S["Type"]) => Effect.Effect<void, E, R>
) => {
  const decode = Schema.decodeUnknownEffect(payload)
  return (input: unknown): Effect.Effect<void, E | Schema.SchemaError, R> => Effect.flatMap(decode(input), work)
}
