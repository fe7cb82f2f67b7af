import * as Schema from "effect/Schema"

const Made = Schema.Struct({
  user: Schema.Struct({ id: Schema.Int }),
  bot: Schema.Struct({ id: Schema.Int, username: Schema.String })
})
const Told = Schema.Struct({
  update_id: Schema.Int,
  managed_bot: Schema.optionalKey(Made),
  message: Schema.optionalKey(
    Schema.Struct({
      from: Schema.optionalKey(Schema.Struct({ language_code: Schema.optionalKey(Schema.String) })),
      chat: Schema.Struct({ id: Schema.Int, type: Schema.String }),
      text: Schema.optionalKey(Schema.String)
    })
  )
})

/** An update of the manager bot. None: an unknown kind. */
export const readManagerUpdate = Schema.decodeUnknownOption(Told)
