import * as z from "zod"

/**
 * Characters are code points, as in JSON Schema's maxLength: an emoji counts as one, regardless of its UTF-16 length.
 */
export const countCharacters = (value: string): number => {
  let count = 0
  for (let index = 0; index < value.length; index++) {
    if ((value.codePointAt(index) ?? 0) > 0xffff) index++
    count++
  }
  return count
}

const fallsShort = (value: string, minimum: number): boolean =>
  value.length < minimum || (value.length < minimum * 2 && countCharacters(value) < minimum)

const exceeds = (value: string, maximum: number): boolean =>
  value.length > maximum && (value.length > maximum * 2 || countCharacters(value) > maximum)

/**
 * A visible character: no white space, control or format character, and none that Unicode renders as nothing, such as
 * zero-width characters, variation selectors and the Hangul fillers. U+2800 is a Braille cell without dots. Marks and
 * skin tones need a base character. Private-use characters and U+FFFC have no general meaning.
 */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Co}\p{M}\p{Z}\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}\u2800\ufffc]/u

/**
 * Text of `minimum` to `maximum` characters. Text that must not be empty must have a visible character. If the length
 * is out of bounds, no further checks run, so that a megabyte is not searched for a timezone, regex or other format.
 */
export const text = (minimum: number, maximum: number) =>
  z
    .string()
    .superRefine((value, context) => {
      if (exceeds(value, maximum)) {
        context.addIssue({ code: "too_big", origin: "string", maximum, inclusive: true, input: value, continue: false })
      } else if (fallsShort(value, minimum)) {
        context.addIssue({
          code: "too_small",
          origin: "string",
          minimum,
          inclusive: true,
          input: value,
          continue: false
        })
      } else if (minimum > 0 && !VISIBLE.test(value)) {
        context.addIssue({ code: "custom", message: "Must not be blank", input: value, continue: false })
      }
    })
    .meta(minimum > 0 ? { minLength: minimum, maxLength: maximum, pattern: "\\S" } : { maxLength: maximum })

/** At most `maximum` lines of text, none of them blank. */
export const texts = (maximum: number, maximumCharacters: number) => z.array(text(1, maximumCharacters)).max(maximum)
