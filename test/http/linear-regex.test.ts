import { describe, expect, it } from "vitest"
import { linearRegexProblem } from "#src/http/linearRegex.ts"

describe("the regex subset", () => {
  it.each([
    "as an? AI", "^\\s+$", "(ha)+", "(?:ha|oh)+", "[a-z]+@[a-z]+", "\\d{1,3}(?:st|nd)", "(?<word>\\p{L}+)!", "\\(x\\)+", "[(?=]+", "(\\d{3}-){2}", "a\\*+", "[\\]*]+b", "\\u{1F600}+", "(?:!|\\?|\\.)+"
  ])("takes %s", (source) => {
    expect(linearRegexProblem(source)).toBeNull()
  })

  it.each([
    ["(a)\\1", "backreferences"],
    ["(?<q>a)\\k<q>", "backreferences"],
    ["foo(?=bar)", "lookaround"],
    ["foo(?!bar)", "lookaround"],
    ["(?<=foo)bar", "lookaround"],
    ["(?<!foo)bar", "lookaround"],
    ["(a+)+", "nested quantifiers"],
    ["(a*)*b", "nested quantifiers"],
    ["((?:a+)b)*", "nested quantifiers"],
    ["(a?){30}", "nested quantifiers"],
    ["(x+x+)+y", "nested quantifiers"],
    ["([a-z]+,?){2,}", "nested quantifiers"],
    ["(a|aa)+", "alternatives"],
    ["((\\w|\\d))*", "alternatives"],
    ["(?:a|)+", "alternatives"],
    ["(?:a|A)+", "alternatives"],
    ["(?:.|b)+", "alternatives"],
    [`${"(".repeat(100_000)}a${")".repeat(100_000)}`, "Invalid regular expression"],
    ["(?:(?:a{100}){100}){100}", "1000 states"],
    ["(unclosed", "Unterminated group"],
    ["a**", "Nothing to repeat"],
    ["a{2", "Incomplete quantifier"]
  ])("refuses %.40s and names the reason: %s", (source, reason) => {
    expect(linearRegexProblem(source)).toContain(reason)
  })
})
