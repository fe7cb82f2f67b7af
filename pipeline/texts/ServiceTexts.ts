import * as Schema from "effect/Schema"

const Lines = Schema.NonEmptyArray(Schema.NonEmptyString)

/** What the service itself says to people, in one language. Operators can replace each of these texts. */
export const ServiceTexts = Schema.Struct({
  /** To a person who starts a character without a greeting. `{name}`: the character's. */
  greeting: Schema.NonEmptyString,
  /** To /start in the middle of a conversation. */
  already_talking: Schema.NonEmptyString,
  /** To /reset, if the character's greeting was already said. */
  new_conversation: Schema.NonEmptyString,
  /** After a link that connects a chat to a user of the app. */
  linked: Schema.NonEmptyString,
  link_spent: Schema.NonEmptyString,
  /** To such a link that is opened in a group. */
  link_private: Schema.NonEmptyString,
  /** The character cannot talk yet. */
  not_ready: Schema.NonEmptyString,
  /** The character is not there any more. */
  gone: Schema.NonEmptyString,
  /** To /stop. */
  stopped: Schema.NonEmptyString,
  /** To /help, before the list of commands. */
  help: Schema.NonEmptyString,
  /** To the first /forget. */
  forget_confirm: Schema.NonEmptyString,
  /** To the second /forget. */
  forgotten: Schema.NonEmptyString,
  /** The character has left the conversation. */
  ended: Schema.NonEmptyString,
  /** After a message that could not be answered. Neutral enough for any character, like the next ones. */
  apology: Schema.NonEmptyString,
  /** One of these or the apology is the reply if no draft passed the gates. */
  fallback_lines: Lines,
  /** One of these is the reply to a recording that nobody has heard. */
  unheard: Lines,
  /** One of these is the reply to a picture or file that nobody has seen. */
  unseen: Lines,
  /** The commands as Telegram's menu and /help show them. */
  command_start: Schema.NonEmptyString,
  command_reset: Schema.NonEmptyString,
  command_stop: Schema.NonEmptyString,
  command_forget: Schema.NonEmptyString,
  command_help: Schema.NonEmptyString,
  /** What the manager bot says to a person who creates a bot: above the button, on it, and afterwards. */
  manager_create: Schema.NonEmptyString,
  manager_button: Schema.NonEmptyString,
  manager_wait: Schema.NonEmptyString,
  manager_link_spent: Schema.NonEmptyString
})
export type ServiceTexts = typeof ServiceTexts.Type
export type ServiceTextKey = keyof ServiceTexts

const MAX_MESSAGE_UNITS = 4096
const MAX_DESCRIPTION_UNITS = 256
const MAX_BUTTON_UNITS = 64

/** How long Telegram lets a text be, in UTF-16 code units. */
export const maxUnitsOf = (key: ServiceTextKey): number =>
  key.startsWith("command_") ? MAX_DESCRIPTION_UNITS : key === "manager_button" ? MAX_BUTTON_UNITS : MAX_MESSAGE_UNITS

const PLACEHOLDER = /\{[^{}]*\}/g

/** The placeholders in a text. */
export const placeholdersIn = (text: string): ReadonlyArray<string> => text.match(PLACEHOLDER) ?? []

/** A text with the values of its placeholders. */
export const fillText = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(PLACEHOLDER, (found) => values[found.slice(1, -1)] ?? found)
