import * as Effect from "effect/Effect"
import * as z from "zod"
import type { ChannelKind } from "#channels/ChannelKind.ts"
import { refusalOf } from "#src/http/server/body/refusal.ts"
import { fieldsOf } from "#src/http/server/schemas/fromSchema.ts"

type Fields = Readonly<Record<string, z.ZodType>>

/** The fields that apps set for channels of a kind, from its Schema. */
export const configFields = ({ config }: ChannelKind): Fields => (config === null ? {} : fieldsOf(config))

/**
 * Those of all these kinds, none of them required, because a channel has only the fields of its own kind. A field that
 * several kinds have may be what any of them takes.
 */
export const allConfigFields = (kinds: ReadonlyArray<ChannelKind>): Fields => {
  const fields: Record<string, z.ZodType> = {}
  for (const kind of kinds) {
    for (const [name, field] of Object.entries(configFields(kind))) {
      const other = fields[name]
      fields[name] = other === undefined ? field : z.union([other, field])
    }
  }
  return z.object(fields).partial().shape
}

const given = (fields: Fields, body: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.keys(fields).flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])))

/** What a body that was held to the kind's own fields sets of its configuration. */
export const configOf = (kind: ChannelKind, body: Readonly<Record<string, unknown>>) => given(configFields(kind), body)

/** The same of a body that could be meant for any of the kinds. */
export const changedConfig = Effect.fnUntraced(function* (
  kinds: ReadonlyArray<ChannelKind>,
  kind: ChannelKind,
  body: Readonly<Record<string, unknown>>
) {
  const fields = given(allConfigFields(kinds), body)
  const config = z.strictObject(configFields(kind)).partial().safeParse(fields)
  return config.success ? config.data : yield* refusalOf(config.error.issues, "body", fields)
})

export const findKind = (kinds: ReadonlyArray<ChannelKind>, name: string): ChannelKind => {
  const kind = kinds.find((each) => each.name === name)
  if (kind === undefined) throw new Error(`no channels of kind ${name} here`)
  return kind
}
