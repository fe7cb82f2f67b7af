import { boundedWhole } from "./boundedNumber.ts"
import type { Fields } from "./readJson.ts"

type Decorators = ReadonlyArray<readonly [name: string, value: string]>

/** The decorators (`@@name value`) at the start of the content, and the rest of the content. */
export const decorated = (content: string): { readonly decorators: Decorators; readonly content: string } => {
  const lines = content.split("\n")
  const end = lines.findIndex((line) => !line.startsWith("@@"))
  const heads = end === -1 ? lines : lines.slice(0, end)
  return {
    decorators: heads
      .map((line) => /^@@@?(\S*)\s*(.*)$/s.exec(line))
      .map((match) => [match?.[1] ?? "", (match?.[2] ?? "").trim()]),
    content: end === -1 ? "" : lines.slice(end).join("\n").trim()
  }
}

/** The entry fields that decorators set. */
export interface Decorated {
  readonly fields: Fields
  readonly keys: ReadonlyArray<string>
  readonly excluded: ReadonlyArray<string>
  readonly unknown: ReadonlyArray<string>
}

export const byDecorators = (decorators: Decorators): Decorated => {
  const fields: Record<string, unknown> = {}
  const keys: Array<string> = []
  const excluded: Array<string> = []
  const unknown: Array<string> = []
  const listed = (value: string) =>
    value
      .split(",")
      .map((key) => key.trim())
      .filter((key) => key !== "")
  for (const [name, value] of decorators) {
    switch (name) {
      case "activate_only_after":
        fields["delay_turns"] = boundedWhole(value, 0, 200) ?? 0
        break
      case "keep_activate_after_match":
        fields["sticky_turns"] = 50
        break
      case "activate":
      case "constant":
        fields["constant"] = true
        break
      case "dont_activate":
        fields["enabled"] = false
        break
      case "match_full_word":
      case "match_partial_word":
        fields["whole_words"] = name === "match_full_word"
        break
      case "probability":
        fields["probability"] = (boundedWhole(value, 0, 100) ?? 100) / 100
        break
      case "additional_keys":
        keys.push(...listed(value))
        break
      case "exclude_keys":
        excluded.push(...listed(value))
        break
      default:
        unknown.push(`@@${name}${value === "" ? "" : ` ${value}`}`)
    }
  }
  return { fields, keys, excluded, unknown }
}
