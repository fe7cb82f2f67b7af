const URL = new RegExp(
  String.raw`\b(?:[a-z][a-z\d+.-]{1,15}:\/\/|www\.)[^\s"'“”<>()]+|(?<![\w.-])[a-z0-9-]+(?:\.[a-z0-9-]+)*\.` +
    String.raw`(?:com|org|net|io|info|de|co\.uk|fr|es|pt|it|nl|eu|app|dev|xyz|me|tv|gg|ly|shop|site|online|ru|ch|` +
    String.raw`uk|us|ca|au|br|mx|jp|cn|kr|pl|ai|cc|biz|club|top|link|store|live|click|vip|bet|casino|page|blog|` +
    String.raw`tech|cloud)\b(?:\/[^\s"'“”<>()]*)?`,
  "giu"
)
const EMAIL = /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/gu
const PHONE = new RegExp(
  String.raw`(?<![\p{L}\d])(?:\+\d[\d ().\-/]{6,18}\d|\(?0\d[\d ().\-/]{5,16}\d|\d{3}[-. ]\d{3}[-. ]\d{4}|` +
    String.raw`\d{3}-\d{4}|[1-9]\d{9,14})(?![\p{L}\d])`,
  "gu"
)

const normal = (contact: string): string =>
  contact
    .toLowerCase()
    .replace(/^https?:\/\/|^www\.|(?<![.,;:!?)/])[.,;:!?)/]+$/g, "")
    .replace(/^www\./, "")
const digits = (text: string): string => text.replace(/\D/g, "")
/** A span of times, such as "08.00-16.00" or "07.30 - 08.00". */
const isSpan = (text: string): boolean =>
  /^(?:[01]?\d|2[0-4])[.:][0-5]\d ?[-–/] ?(?:[01]?\d|2[0-4])[.:][0-5]\d$/.test(text.trim())
const isDate = (text: string): boolean => /^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$|^\d{4}-\d{2}-\d{2}$/.test(text.trim())

/** Whether a reply gives a web address, phone number or e-mail address that does not occur in the evidence. */
export const inventsContact = (reply: string, evidence: () => string): boolean => {
  const emails = reply.match(EMAIL) ?? []
  const urls = reply.replace(EMAIL, " ").match(URL) ?? []
  const phones = (reply.match(PHONE) ?? []).filter((phone) => !isDate(phone) && !isSpan(phone))
  if (emails.length + urls.length + phones.length === 0) return false
  const known = evidence().toLowerCase()
  const knownDigits = digits(known)
  return (
    [...emails, ...urls].some((contact) => !known.includes(normal(contact))) ||
    phones.some((phone) => !knownDigits.includes(digits(phone)))
  )
}
