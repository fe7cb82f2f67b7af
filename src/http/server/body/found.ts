/** Longer text is counted only. */
const MAXIMUM_SHOWN = 40

/** Fields whose text may be secret, or what a person wrote. It is not repeated. */
const IS_PRIVATE = /secret|token|password|key|url|code|prompt|caption|text|message|content/i

/** Credentials, wherever they were sent: they begin so, or name a user in a URL. */
const CREDENTIAL = /^(?:ck|lat|op|st|ak|whsec|sk|pk|ghp|xox[a-z])[_-]|^eyJ|^\d{5,}:|^(?:Bearer|Basic) |:\/\/|@/i
const ID = /^[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}$/

/** Random text, such as a password that a program made. Ids are not secret. */
const isRandom = (text: string): boolean => {
  const [run] = ID.test(text) ? [] : (/[\w+/=-]{20,}/.exec(text) ?? [])
  return run !== undefined && /\d/.test(run) && /[A-Z]/.test(run)
}

/** What nobody sees, or what changes how the text around it is read. */
const INVISIBLE = /^[\s\p{M}\p{Emoji_Modifier}]+$|[\p{C}\p{Default_Ignorable_Code_Point}\u2800\ufffc]/u

const isShowable = (text: string, field: string): boolean =>
  text === "" ||
  (text.length <= MAXIMUM_SHOWN &&
    !IS_PRIVATE.test(field) &&
    !CREDENTIAL.test(text) &&
    !isRandom(text) &&
    !INVISIBLE.test(text))

/** A value of a field, for a message. Text that is long, invisible, or may be secret is only counted. */
const shown = (value: unknown, field: string): string => {
  if (typeof value === "string")
    return isShowable(value, field)
      ? JSON.stringify(value)
      : `text of ${value.length} ${value.length === 1 ? "character" : "characters"}`
  if (Array.isArray(value)) return `an array of ${value.length}`
  return typeof value === "object" && value !== null ? "an object" : String(value)
}

/** The value in the input that a path leads to. */
export const valueAt = (input: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>(
    (value, segment) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, segment)
        ? (value as Readonly<Record<PropertyKey, unknown>>)[segment]
        : undefined,
    input
  )

const isIndex = (segment: PropertyKey) => typeof segment === "number" || /^\d+$/.test(String(segment))

const says = (message: string, value: unknown): boolean =>
  message.includes(", received ") ||
  (typeof value === "string" &&
    (message.includes(JSON.stringify(value)) || (ID.test(value) && message.includes(value))))

/** `, received "abc"`, to end a message about the value at a path. Empty: there is none, or the message says it. */
export const receivedAt = (path: ReadonlyArray<PropertyKey>, input: unknown, message: string): string => {
  const value = valueAt(input, path)
  if (value === undefined || says(message, value)) return ""
  const field = path.findLast((segment) => !isIndex(segment)) ?? ""
  return `, received ${shown(value, String(field))}`
}
