import * as Schema from "effect/Schema"
import { isBotToken } from "./botToken.ts"

const optional = Schema.optionalKey
/** The last second with a valid date. */
const LAST_SECOND = 253_402_300_799

const Sent = Schema.Struct({ message_id: Schema.Int })
const Token = Schema.String.check(Schema.makeFilter(isBotToken))

/** The fields that we read of results. Results of other methods are ignored. */
const RESULTS = {
  // In groups, people address the bot by its username.
  getMe: Schema.Struct({ id: Schema.Int, username: Schema.String.check(Schema.isPattern(/^\w{1,64}$/)) }),
  getWebhookInfo: Schema.Struct({
    url: optional(Schema.String),
    pending_update_count: Schema.Natural,
    last_error_date: optional(Schema.Natural.check(Schema.isLessThanOrEqualTo(LAST_SECOND))),
    last_error_message: optional(Schema.String),
    allowed_updates: optional(Schema.Array(Schema.String))
  }),
  getUpdates: Schema.Array(Schema.Struct({ update_id: Schema.Int })),
  getMyName: Schema.Struct({ name: Schema.String }),
  getMyDescription: Schema.Struct({ description: Schema.String }),
  getMyShortDescription: Schema.Struct({ short_description: Schema.String }),
  getMyCommands: Schema.Array(Schema.Struct({ command: Schema.String, description: Schema.String })),
  getFile: Schema.Struct({ file_path: optional(Schema.String) }),
  sendMessage: Sent,
  sendPhoto: Sent,
  getManagedBotToken: Token,
  replaceManagedBotToken: Token
}

const CHECKS: ReadonlyMap<string, (result: unknown) => boolean> = new Map(
  Object.entries(RESULTS).map(([method, schema]) => [method, Schema.is(schema as Schema.Schema<unknown>)])
)

/** Whether a result has the expected form, as far as we read it. */
export const isResultOf = (method: string, result: unknown): boolean => CHECKS.get(method)?.(result) ?? true
